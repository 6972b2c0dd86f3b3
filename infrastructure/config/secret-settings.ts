/** The settings that may also come as NAME_FILE, or as a file of that name in $CREDENTIALS_DIRECTORY. */
export const SECRETS: readonly string[] = [
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'RESEND_API_KEY',
  'SMTP_URL',
  'DATABASE_URL',
]
