import type Stripe from 'stripe'

/** Callers have to check the status: the SDK takes any answer without an `error` for success. */
export const OK = 200

type Kind = { id: string; object: string }

export function expectObject<Answer extends Kind>(
  answer: Stripe.Response<Answer>,
  object: Answer['object'],
  id: string | null = null,
): Answer {
  const isExpected =
    answer.lastResponse.statusCode === OK &&
    isOfKind(answer, object) &&
    (id === null || answer.id === id)
  if (!isExpected) throw new Error(`not the ${object} that was asked for`)
  return answer
}

export function isOfKind(value: unknown, object: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Reflect.get(value, 'object') === object &&
    readId(value) !== null
  )
}

/** The id of any object that Stripe has sent; null where it has none. */
export function readId(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const id: unknown = Reflect.get(value, 'id')
  return typeof id === 'string' && /^[\w-]{1,255}$/.test(id) ? id : null
}

/** Answers with `missing` where Stripe does not know the object that was asked for. */
export async function notFoundAs<Answer, Missing>(
  answer: Promise<Answer>,
  missing: Missing,
): Promise<Answer | Missing> {
  try {
    return await answer
  } catch (error) {
    if (isMissing(error)) return missing
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  return isInvalidRequest(error) && error.code === 'resource_missing'
}

/** The key is of one mode, and the object that it is used on is of the other; https://docs.stripe.com/error-codes. */
export const WRONG_MODE_CODES: readonly unknown[] = ['livemode_mismatch', 'testmode_charges_only']

/** Stripe's 400 and 404, by the name that the SDK gives its error: https://docs.stripe.com/error-handling. */
export function isInvalidRequest(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Error && Reflect.get(error, 'type') === 'StripeInvalidRequestError'
}
