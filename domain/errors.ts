/** Every way in which a rule can say no. The words for each are chosen at the edge. */
export type Refusal =
  | 'invalid_email'
  | 'invalid_code'
  | 'invalid_proof_key'
  | 'too_many_mails'
  | 'too_many_wrong_codes'
  | 'mail_limit_reached'
  | 'missing_token'
  | 'invalid_token'
  | 'premium_required'
  | 'premium_required_to_log_in'
  | 'email_not_verified'
  | 'email_not_verified_to_log_in'
  | 'premium_already_active'
  | 'payment_processing'
  | 'invalid_signature'

/** A rule said no. The function that throws it documents what that costs the caller, such as a counted try. */
export class DomainError extends Error {
  override readonly name = 'DomainError'

  /** `retryAt` is the moment at which the refusal ends by itself; null where time does not end it. */
  constructor(
    readonly refusal: Refusal,
    readonly retryAt: Date | null = null,
  ) {
    super(refusal)
  }
}
