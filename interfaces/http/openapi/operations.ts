import type { DocumentDecoration } from 'elysia'
import type { Content } from '../../../application/ports.ts'
import { samplesOf } from '../../../domain/excuse.ts'
import { DEFAULT_LANGUAGE } from '../../../domain/language.ts'
import { ROUTES, type RouteId } from '../paths.ts'
import { APP_PAGE } from './app-page.ts'
import { AUTH } from './auth.ts'
import { CHECKOUT } from './checkout.ts'
import { REFERENCE } from './docs.ts'
import { TAKES_NO_TOKEN } from './fields.ts'
import { PAYMENT } from './payment-pages.ts'
import { premiumOperations } from './premium.ts'
import { STATUS } from './status.ts'
import { WEBHOOK } from './webhook.ts'

/** What is in the place of an excuse where none may be read without paying. */
const UNREAD = '…'

/** What the OpenAPI document says of each route, beside its schemas. */
export function describeOperations(
  content: Content,
): Readonly<Record<RouteId, DocumentDecoration>> {
  const [sample = UNREAD] = samplesOf(content.in(DEFAULT_LANGUAGE).excuses)
  return {
    ...described('auth', AUTH),
    ...described('checkout', CHECKOUT),
    ...described('premium', premiumOperations({ sample })),
    ...described('payment', PAYMENT),
    ...described('webhook', WEBHOOK),
    ...described('status', STATUS),
    ...described('documentation', { ...APP_PAGE, ...REFERENCE }),
  }
}

/** The operations of a tag: the words given here, and what the table of routes says. */
function described<Id extends RouteId>(tag: string, operations: Record<Id, DocumentDecoration>) {
  const all = Object.entries(operations) as [Id, DocumentDecoration][]
  const whole = all.map(([operationId, { description, security = TAKES_NO_TOKEN, ...words }]) => {
    const { summary, deprecated } = ROUTES[operationId]
    const isDeprecated = deprecated ? { deprecated: true } : {}
    const head = { operationId, summary, description, tags: [tag], ...isDeprecated, security }
    return [operationId, { ...head, ...words }]
  })
  return Object.fromEntries(whole) as Record<Id, DocumentDecoration>
}
