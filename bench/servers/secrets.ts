/** The settings of the measured service that nobody else may know. Here they protect nothing. */
export const SECRETS = {
  JWT_SECRET: 'a secret of the benchmark that is long enough',
  STRIPE_SECRET_KEY: 'sk_test_KeyOfTheBenchmark',
  STRIPE_WEBHOOK_SECRET: 'whsec_SecretOfTheBenchmark',
  RESEND_API_KEY: 're_KeyOfTheBenchmark',
} as const
