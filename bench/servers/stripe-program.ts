// Stripe's double for the tests, in a process of its own. It prints where it listens.

import { startStripeDouble } from '../../test/support/stripe-double/stripe-double.ts'
import { SECRETS } from './secrets.ts'

const double = await startStripeDouble({
  webhookSecret: SECRETS.STRIPE_WEBHOOK_SECRET,
  secretKey: SECRETS.STRIPE_SECRET_KEY,
})
console.log(double.url)
