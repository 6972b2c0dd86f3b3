import { onceAsked } from '../../application/first-use.ts'

/** Stripe's SDK. It is loaded when it is first needed, from within the executable. */
export const loadStripe = onceAsked(async () => (await import('stripe')).default)
