import { distance } from 'fastest-levenshtein'
import { STRING_ENTRIES } from '../../../application/content/strings.ts'
import {
  findPlaceholderFaults,
  type KeyedFinding,
  ruleOf,
  type StringContext,
  type Texts,
  wantedKeys,
} from '../string-rules.ts'
import { type Finding, warning } from '../text-rules.ts'
import { findSlips, hasWords } from './text-slips.ts'

/**
 * A share of a key's letters: a key that differs from a known one in no more than that, and in two letters at most, is
 * misspelt.
 */
const MISSPELT_MAX = 0.4

export const LEFT_IN_ENGLISH = 'it is left in English'

/** What looks wrong in the strings of one language, and can be served all the same. */
export function findStringSlips(strings: Texts, context: StringContext): KeyedFinding[] {
  const { english } = context
  const wanted = wantedKeys(context)
  return [...strings].flatMap(([key, { text }]) =>
    [
      ...(wanted.has(key) ? findTextSlips(text, key, context) : []),
      ...findMisspelling(key),
      ...(english !== strings && isLeftInEnglish(text, { key, english })
        ? [warning(LEFT_IN_ENGLISH)]
        : []),
    ].map((finding) => ({ ...finding, key })),
  )
}

/** Alibi does not know how an operator's client fills in strings of its own, so that a difference is only a warning. */
function findTextSlips(text: string, key: string, { language, english }: StringContext): Finding[] {
  const rule = ruleOf(key, english)
  return [
    ...(rule.isOwn ? findPlaceholderFaults(text, { key, rule, language }).map(warning) : []),
    ...(rule.sameEverywhere ? [] : findSlips(text, language)),
  ]
}

function findMisspelling(key: string): Finding[] {
  if (STRING_ENTRIES.has(key)) return []
  const meant = [...STRING_ENTRIES.keys()].find(
    (known) => distance(known, key) <= Math.min(2, MISSPELT_MAX * key.length),
  )
  return meant === undefined ? [] : [warning(`Alibi has no such key: is "${meant}" meant?`)]
}

function isLeftInEnglish(text: string, { key, english }: { key: string; english: Texts }): boolean {
  const { sameEverywhere, isShared } = STRING_ENTRIES.get(key) ?? {}
  if (sameEverywhere || isShared) return false
  return text === english.get(key)?.text && hasWords(text)
}
