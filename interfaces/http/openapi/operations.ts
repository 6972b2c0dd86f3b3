import type { DocumentDecoration } from 'elysia'
import type { Content } from '../../../application/ports.ts'
import { samplesOf } from '../../../domain/excuse.ts'
import { DEFAULT_LANGUAGE } from '../../../domain/language.ts'
import type { RouteId } from '../paths.ts'
import { READ_ROBOTS, READ_SITEMAP, SHOW_APP } from './app-page.ts'
import {
  CHECK,
  CONFIRM_EMAIL,
  ISSUE_TOKEN,
  LOG_IN,
  LOG_OUT,
  REQUEST_OTP,
  VERIFY_EMAIL,
} from './auth.ts'
import { START_CHECKOUT } from './checkout.ts'
import { READ_OPENAPI, SHOW_REFERENCE } from './docs.ts'
import { SHOW_CANCELLATION, SHOW_PAYMENT } from './payment-pages.ts'
import { describePickReason, LIST_LANGUAGES, READ_STRINGS } from './premium.ts'
import { CHECK_HEALTH, CHECK_READINESS, READ_STATUS } from './status.ts'
import { RECEIVE_PAYMENT_NOTIFICATION, RECEIVE_STRIPE_NOTIFICATION } from './webhook.ts'

/** What is in the place of an excuse where none may be read without paying. */
const UNREAD = '…'

/** What the OpenAPI document says of each route, beside its schemas. */
export function describeOperations(
  content: Content,
): Readonly<Record<RouteId, DocumentDecoration>> {
  const [sample = UNREAD] = samplesOf(content.in(DEFAULT_LANGUAGE).excuses)
  return { ...OPERATIONS, pickReason: describePickReason({ sample }) }
}

const OPERATIONS: Readonly<Record<Exclude<RouteId, 'pickReason'>, DocumentDecoration>> = {
  readStatus: READ_STATUS,
  checkHealth: CHECK_HEALTH,
  checkReadiness: CHECK_READINESS,
  verifyEmail: VERIFY_EMAIL,
  confirmEmail: CONFIRM_EMAIL,
  issueToken: ISSUE_TOKEN,
  requestOtp: REQUEST_OTP,
  logIn: LOG_IN,
  logOut: LOG_OUT,
  checkPremium: CHECK,
  startCheckout: START_CHECKOUT,
  readStrings: READ_STRINGS,
  listLanguages: LIST_LANGUAGES,
  showPayment: SHOW_PAYMENT,
  showCancellation: SHOW_CANCELLATION,
  receiveStripeNotification: RECEIVE_STRIPE_NOTIFICATION,
  receivePaymentNotification: RECEIVE_PAYMENT_NOTIFICATION,
  showApp: SHOW_APP,
  readRobots: READ_ROBOTS,
  readSitemap: READ_SITEMAP,
  showReference: SHOW_REFERENCE,
  readOpenApi: READ_OPENAPI,
}
