import type Stripe from 'stripe'
import type { ListPage, ListWindow } from '../../application/ports.ts'
import { isOfKind, OK, readId } from './answers.ts'
import { toSeconds } from './objects.ts'

// Stripe's lists: https://docs.stripe.com/api/pagination.

const PAGE_SIZE_MAX = 100

type Listed = { id: string; object: string }
type ListAnswer<Item> = Stripe.Response<Stripe.ApiList<Item>>
type Page<Answer> = { readonly data: readonly Answer[]; readonly cursor: string | null }

function pageParams(cursor: string | null) {
  return { limit: PAGE_SIZE_MAX, ...(cursor === null ? {} : { starting_after: cursor }) }
}

export function windowParams({ since, cursor }: ListWindow) {
  return { ...pageParams(cursor), created: { gte: toSeconds(since) } }
}

/**
 * Reads every object of a page separately. An object for which `read` throws is unreadable. One for which it returns
 * null does not concern Alibi.
 */
export function readPage<Answer extends Listed, Item>(
  answer: ListAnswer<Answer>,
  object: Answer['object'],
  read: (answer: Answer) => Item | null,
): ListPage<Item> {
  const { data, cursor } = expectPage(answer)
  const items: Item[] = []
  const unreadable: string[] = []
  for (const one of data) {
    try {
      const item = read(expectKind(one, object))
      if (item !== null) items.push(item)
    } catch {
      // One bad object must not hide the others; the caller gets its id.
      unreadable.push(readId(one) ?? 'unknown')
    }
  }
  return { items, unreadable, cursor }
}

/** Every object of a list, to the last page. */
export async function readAllPages<Answer extends Listed>(
  list: (params: ReturnType<typeof pageParams>) => Promise<ListAnswer<Answer>>,
  object: Answer['object'],
): Promise<readonly Answer[]> {
  const all: Answer[] = []
  let cursor: string | null = null
  do {
    const page: Page<Answer> = expectPage(await list(pageParams(cursor)))
    all.push(...page.data.map((one) => expectKind(one, object)))
    cursor = page.cursor
  } while (cursor !== null)
  return all
}

/** One page of a list, as it is. */
export function expectList<Answer extends Listed>(answer: ListAnswer<Answer>): ListAnswer<Answer> {
  const { lastResponse, object, data, has_more } = answer
  const isList = object === 'list' && Array.isArray(data) && typeof has_more === 'boolean'
  if (lastResponse.statusCode !== OK || !isList) throw new Error('not the list that was asked for')
  return answer
}

function expectPage<Answer extends Listed>(answer: ListAnswer<Answer>): Page<Answer> {
  const { data, has_more } = expectList(answer)
  if (!has_more) return { data, cursor: null }

  // The next page begins after the last object that has a name, even if that repeats a nameless one.
  const cursor = data.map(readId).findLast((id) => id !== null)
  if (!cursor) throw new Error('a page that does not say where the next one begins')
  return { data, cursor }
}

function expectKind<Answer extends Listed>(value: Answer, object: Answer['object']): Answer {
  if (!isOfKind(value, object)) throw new Error(`not a ${object}`)
  return value
}
