import { type Form, integerOf, textOf } from './form.ts'
import { invalidRequest, missingResource } from './refusal.ts'

const LIMIT_DEFAULT = 10
const LIMIT_MAX = 100

/**
 * One page of those that match, newest first; https://docs.stripe.com/api/pagination. A cursor counts also when what it
 * names does not match any more.
 */
export function listPage<Item extends { id: string; created: number }>(
  items: Iterable<Item>,
  { query, url, matches }: { query: Form; url: string; matches: (item: Item) => boolean },
) {
  const limit = integerOf(query, 'limit') ?? LIMIT_DEFAULT
  if (limit < 1 || limit > LIMIT_MAX) throw invalidRequest('Invalid limit', { param: 'limit' })

  // Insertion order decides within one second.
  const sorted = [...items].reverse().sort((left, right) => right.created - left.created)
  const isCreatedWithin = createdWithin(query)
  const isListed = (item: Item) => isCreatedWithin(item) && matches(item)
  const after = textOf(query, 'starting_after')
  const before = textOf(query, 'ending_before')
  if (before !== null) {
    const listed = sorted.slice(0, indexOf(sorted, before)).filter(isListed)
    return page(listed.slice(-limit), listed.length > limit, url)
  }
  const start = after === null ? 0 : indexOf(sorted, after) + 1
  const listed = sorted.slice(start).filter(isListed)
  return page(listed.slice(0, limit), listed.length > limit, url)
}

function page<Item>(data: readonly Item[], hasMore: boolean, url: string) {
  return { object: 'list', data, has_more: hasMore, url }
}

function indexOf(items: readonly { id: string }[], id: string): number {
  const index = items.findIndex((item) => item.id === id)
  if (index < 0) throw missingResource('object', id)
  return index
}

function createdWithin(query: Form): (item: { created: number }) => boolean {
  const { created } = query
  if (created === undefined) return () => true
  if (typeof created === 'string') return (item) => item.created === Number(created)
  const bound = (key: string, otherwise: number) => integerOf(created, key) ?? otherwise
  return (item) =>
    item.created >= bound('gte', -Infinity) &&
    item.created > bound('gt', -Infinity) &&
    item.created <= bound('lte', Infinity) &&
    item.created < bound('lt', Infinity)
}
