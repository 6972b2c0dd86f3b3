import { type Form, integerOf, textOf } from './form.ts'
import { invalidRequest, missingResource } from './refusal.ts'

const LIMIT_DEFAULT = 10
const LIMIT_MAX = 100

/** One page, newest first; https://docs.stripe.com/api/pagination. */
export function listPage<Item extends { id: string; created: number }>(
  items: Iterable<Item>,
  query: Form,
  url: string,
) {
  const limit = integerOf(query, 'limit') ?? LIMIT_DEFAULT
  if (limit < 1 || limit > LIMIT_MAX) throw invalidRequest('Invalid limit', { param: 'limit' })

  // Insertion order decides within one second.
  const sorted = [...items].reverse().sort((left, right) => right.created - left.created)
  const all = sorted.filter(createdWithin(query))
  const after = textOf(query, 'starting_after')
  const before = textOf(query, 'ending_before')
  if (before !== null) {
    const end = indexOf(all, before)
    const start = Math.max(0, end - limit)
    return page(all.slice(start, end), start > 0, url)
  }
  const start = after === null ? 0 : indexOf(all, after) + 1
  return page(all.slice(start, start + limit), start + limit < all.length, url)
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
