import { ROUTES, type RouteId } from '../paths.ts'

/** The summary of each endpoint, in the groups in which `GET /` shows them. */
export const ENDPOINTS = {
  auth: summaries(
    'verifyEmail',
    'confirmEmail',
    'issueToken',
    'requestOtp',
    'logIn',
    'logOut',
    'checkPremium',
  ),
  checkout: summaries('startCheckout'),
  premium: summaries('pickReason', 'readStrings', 'listLanguages'),
  payment: summaries('showPayment', 'showCancellation'),
  webhook: summaries('receiveStripeNotification'),
} as const

/** What can be asked next, by operation id, with runtime expressions (OpenAPI 3.1, Link Object). */
type Next = {
  readonly description: string
  readonly parameters?: Record<string, string>
  readonly requestBody?: Record<string, string>
}
export type Links = Record<string, Next & { readonly operationId: RouteId }>

/** The links of an answer to the operations that come after it. */
export function linksTo(next: { readonly [Id in RouteId]?: Next }): Links {
  const ids = Object.keys(next) as RouteId[]
  return Object.fromEntries(
    ids.flatMap((operationId) => {
      const link = next[operationId]
      return link ? [[operationId, { operationId, ...link }]] : []
    }),
  )
}

/** By method and path. */
function summaries(...ids: readonly RouteId[]): Record<string, string> {
  const rows = ids.map((id) => ROUTES[id])
  return Object.fromEntries(rows.map(({ method, path, summary }) => [`${method} ${path}`, summary]))
}
