import type { StringKey } from '../../../application/content/strings.ts'
import type { Outage } from '../../../application/unavailable.ts'
import type { Refusal } from '../../../domain/errors.ts'
import type { RequestRefusal } from '../request/refusal.ts'
import { ANSWERS, FAULT_ANSWER, OUTAGE_ANSWERS, REQUEST_ANSWERS } from '../response/errors.ts'

/** The message of a page for each reason of an error answer. */
const MESSAGES: Record<Refusal | RequestRefusal | Outage, StringKey> = {
  invalid_email: 'error_invalid_email',
  invalid_code: 'error_invalid_code',
  too_many_mails: 'error_too_many_requests',
  too_many_wrong_codes: 'error_too_many_requests',
  mail_limit_reached: 'error_email_unavailable',
  missing_token: 'error_session_expired',
  invalid_token: 'error_session_expired',
  premium_required: 'error_premium_required',
  premium_required_to_log_in: 'error_premium_required',
  email_not_verified: 'error_email_not_verified',
  email_not_verified_to_log_in: 'error_email_not_verified',
  invalid_proof_key: 'error_invalid_request',
  premium_already_active: 'error_premium_active',
  payment_processing: 'error_payment_processing',
  invalid_signature: 'error_invalid_request',
  invalid_json: 'error_invalid_request',
  invalid_request: 'error_invalid_request',
  endpoint_not_found: 'error_not_found',
  request_too_large: 'error_invalid_request',
  unsupported_media_type: 'error_invalid_request',
  too_many_requests: 'error_too_many_requests',
  too_many_bodies: 'error_unavailable',
  body_too_slow: 'error_unavailable',
  stopping: 'error_unavailable',
  email: 'error_email_unavailable',
  payment: 'error_payment_unavailable',
  storage: 'error_unavailable',
}

/** The same by the `error` of the API's answer. */
export const ERROR_MESSAGES: Readonly<Record<string, StringKey>> = {
  ...Object.fromEntries(
    Object.entries({ ...ANSWERS, ...REQUEST_ANSWERS, ...OUTAGE_ANSWERS }).map(
      ([reason, { error }]) => [error, MESSAGES[reason as keyof typeof MESSAGES]],
    ),
  ),
  [FAULT_ANSWER.error]: 'error_server',
}
