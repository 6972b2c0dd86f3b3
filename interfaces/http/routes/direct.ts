import type { Prompt } from '../../../application/prompt.ts'
import { ROUTES } from '../paths.ts'
import type { Exchange } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { premiumCheck } from './auth.ts'
import { ALL_LANGUAGES, premiumAnswers } from './premium.ts'

/** The parameters of a query, by their names; null where the router has to read it. */
type Query<Name extends string> = { readonly [name in Name]?: string } | null

// Why: docs/decisions.md#most-requests-pass-the-router-by
/**
 * What the most frequent requests are answered with, as the router would: the value of the answer in JSON, or an error
 * that is thrown or rejected with. Null for a request that the router has to read.
 */
export function directAnswers({
  ports,
}: Pick<HttpOptions, 'ports'>): (exchange: Exchange) => Prompt<object> | null {
  const { pickReason, readStrings } = premiumAnswers(ports)
  const checkPremium = premiumCheck(ports)
  const byPath = new Map<string, (exchange: Exchange) => Prompt<object> | null>([
    [
      ROUTES.pickReason.path,
      (exchange) => {
        const query = plainQuery(exchange, 'lang')
        return query && pickReason(exchange, query.lang)
      },
    ],
    [
      ROUTES.readStrings.path,
      (exchange) => {
        const query = plainQuery(exchange, 'lang')
        return query && readStrings(exchange, query.lang)
      },
    ],
    [
      ROUTES.checkPremium.path,
      (exchange) => {
        const query = plainQuery(exchange, 'email')
        return query?.email === undefined ? null : checkPremium(query.email)
      },
    ],
    [ROUTES.listLanguages.path, () => ALL_LANGUAGES],
  ])

  return (exchange) => {
    const { request, target } = exchange
    return request.method === 'GET' ? (byPath.get(target.path)?.(exchange) ?? null) : null
  }
}

/** What nobody escapes. A plus sign would be a space. */
const PLAIN_VALUE = /^[\w.@-]*$/

/** The parameters of a query that is empty, or has this one parameter in characters that stand for themselves. */
function plainQuery<Name extends string>(
  { target: { search } }: Exchange,
  name: Name,
): Query<Name> {
  if (search === '') return {}
  const value = search.slice(name.length + 2)
  const isPlain = search.startsWith(`?${name}=`) && PLAIN_VALUE.test(value)
  return isPlain ? ({ [name]: value } as Query<Name>) : null
}
