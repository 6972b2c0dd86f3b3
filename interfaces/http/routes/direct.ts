import type { MaybePromise } from '../../../application/maybe-promise.ts'
import { ROUTES } from '../paths.ts'
import type { Exchange } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { ALIVE, ALL_LANGUAGES, premiumAnswers, premiumCheck } from './answers.ts'

// Why: docs/decisions.md#most-requests-pass-the-router-by
/**
 * What the most frequent requests are answered with, as the router would: the value of the answer in JSON, or an error
 * that is thrown or rejected with. Null for a request that the router has to read.
 */
export function directAnswers({
  ports,
}: Pick<HttpOptions, 'ports'>): (exchange: Exchange) => MaybePromise<object> | null {
  const { pickReason, readStrings } = premiumAnswers(ports)
  const checkPremium = premiumCheck(ports)
  const byPath = new Map<string, (exchange: Exchange) => MaybePromise<object> | null>([
    [ROUTES.pickReason.path, pickReason],
    [
      ROUTES.readStrings.path,
      (exchange) => {
        const lang = plainParameter(exchange, '?lang=')
        return lang === null ? null : readStrings(exchange, lang)
      },
    ],
    [
      ROUTES.checkPremium.path,
      (exchange) => {
        const email = plainParameter(exchange, '?email=')
        return typeof email === 'string' ? checkPremium(email) : null
      },
    ],
    [ROUTES.listLanguages.path, () => ALL_LANGUAGES],
    [ROUTES.checkHealth.path, () => ALIVE],
  ])

  return (exchange) => {
    const { request, target } = exchange
    return request.method === 'GET' ? (byPath.get(target.path)?.(exchange) ?? null) : null
  }
}

/** What no client escapes, and the @ of an address, which most do. A plus sign would be a space. */
const PLAIN_VALUE = /^(?:[\w.@-]|%40)*$/

/** What the query has behind `beginning`, if it is plain. Undefined for an empty query, null for any other. */
function plainParameter(
  { target: { search } }: Exchange,
  beginning: string,
): string | undefined | null {
  if (search === '') return undefined
  if (!search.startsWith(beginning)) return null
  const value = search.slice(beginning.length)
  return PLAIN_VALUE.test(value) ? value.replaceAll('%40', '@') : null
}
