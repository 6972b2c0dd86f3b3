import type { DocumentDecoration } from 'elysia'
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

/** A route's part of the OpenAPI document: the words given here, and what the table of routes says. */
export function describeOperation(
  operationId: RouteId,
  { description, tags, ...words }: DocumentDecoration = {},
): DocumentDecoration {
  const { summary, deprecated } = ROUTES[operationId]
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(deprecated ? { deprecated: true } : {}),
    ...words,
  }
}

/** By method and path. */
function summaries(...ids: readonly RouteId[]): Record<string, string> {
  const rows = ids.map((id) => ROUTES[id])
  return Object.fromEntries(rows.map(({ method, path, summary }) => [`${method} ${path}`, summary]))
}
