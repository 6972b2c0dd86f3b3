import {
  type ExcuseChoice,
  isTagWord,
  TAGS,
  type Tag,
  type TagValues,
} from '../../../domain/excuse.ts'
import { RequestRefused } from './refusal.ts'

/** What a reader asks for; no choice where any excuse will do. */
export type ReasonQuery = {
  readonly lang: string | undefined
  readonly choice: ExcuseChoice | null
}

/** More than one can suppose. */
const WITHOUT_MAX = 10

const PLAIN_LANGUAGE = /^\?lang=[\w.-]*$/

/**
 * Reads the query of a request for an excuse. Throws `invalid_request` for an unknown value of what an excuse can be
 * chosen by, and for two of one; of several languages the last one counts.
 */
export function readReasonQuery(search: string, tagValues: TagValues): ReasonQuery {
  if (search === '') return { lang: undefined, choice: null }
  // As most ask.
  if (PLAIN_LANGUAGE.test(search)) return { lang: search.slice('?lang='.length), choice: null }
  const query = new URLSearchParams(search)
  return { lang: query.getAll('lang').at(-1), choice: readChoice(query, tagValues) }
}

function readChoice(query: URLSearchParams, tagValues: TagValues): ExcuseChoice | null {
  const tags: Partial<Record<Tag, string>> = {}
  for (const tag of TAGS) {
    const value = readOnce(query, tag, (word) => tagValues[tag].includes(word))
    if (value !== null) tags[tag] = value
  }
  const isShort = readOnce(query, 'length', (word) => word === 'short') !== null
  const without = readOnce(query, 'without', isListOfWords)?.split(',') ?? []
  const isAny = Object.keys(tags).length === 0 && !isShort && without.length === 0
  return isAny ? null : { tags, isShort, without }
}

function isListOfWords(list: string): boolean {
  const words = list.split(',')
  return words.length <= WITHOUT_MAX && words.every(isTagWord)
}

/** The value of a parameter; null without one. */
function readOnce(
  query: URLSearchParams,
  name: string,
  isValid: (value: string) => boolean,
): string | null {
  const [value, ...more] = query.getAll(name)
  if (value === undefined) return null
  if (more.length > 0 || !isValid(value)) throw new RequestRefused('invalid_request')
  return value
}
