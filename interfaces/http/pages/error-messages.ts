import type { StringKey } from '../../../application/content/strings.ts'
import type { ErrorAnswer } from '../response/errors.ts'

/** The message of a page for the `error` of an answer of the API. */
export const ERROR_MESSAGES: Readonly<Record<ErrorAnswer['error'], StringKey>> = {
  'Invalid email': 'error_invalid_email',
  'Invalid or expired code': 'error_invalid_code',
  'Invalid request': 'error_invalid_request',
  'Too many requests, please try again later': 'error_too_many_requests',
  'Email delivery unavailable': 'error_email_unavailable',
  'Missing token': 'error_session_expired',
  'Invalid or expired token': 'error_session_expired',
  'Premium access required': 'error_premium_required',
  'Email not verified': 'error_email_not_verified',
  'Premium access already active': 'error_premium_active',
  'Payment processing': 'error_payment_processing',
  'Invalid signature': 'error_invalid_request',
  'Invalid JSON': 'error_invalid_request',
  'Endpoint not found': 'error_not_found',
  'Request too large': 'error_invalid_request',
  'Unsupported media type': 'error_invalid_request',
  'Temporarily unavailable': 'error_unavailable',
  'Payment provider unavailable': 'error_payment_unavailable',
  'Internal server error': 'error_server',
}
