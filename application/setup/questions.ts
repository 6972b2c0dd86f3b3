/** A question of setup, and the setting that answers it. */
export type Question = {
  readonly setting: string
  /** The option that answers it; for a secret, one that names a file. */
  readonly flag: string
  readonly words: string
  readonly isSecret: boolean
  /** The answer where there is none yet; null where only the operator knows it. */
  readonly fallback: string | null
}

export const PUBLIC_URL: Question = {
  setting: 'PUBLIC_URL',
  flag: 'public-url',
  words: 'The address that users reach, such as https://alibi.example.com',
  isSecret: false,
  fallback: null,
}

const NAME: Question = {
  setting: 'PREMIUM_NAME',
  flag: 'name',
  words: 'What is sold, as buyers read it',
  isSecret: false,
  fallback: 'Alibi Premium',
}

export const CURRENCY: Question & { readonly fallback: string } = {
  setting: 'PREMIUM_CURRENCY',
  flag: 'currency',
  words: 'The currency, a code of three letters',
  isSecret: false,
  fallback: 'eur',
}

/** Answered as people write a price; the setting is in minor units. */
export const PRICE: Question = {
  setting: 'PREMIUM_PRICE',
  flag: 'price',
  words: 'The price, such as 5 or 5.00',
  isSecret: false,
  fallback: '400',
}

/** What is sold, unless it is a price kept at Stripe. The price is read in the currency. */
export const PRODUCT: readonly Question[] = [NAME, CURRENCY, PRICE]

export const STRIPE_KEY: Question = {
  setting: 'STRIPE_SECRET_KEY',
  flag: 'stripe-key-file',
  words: 'The secret or restricted key of Stripe, from https://dashboard.stripe.com/apikeys',
  isSecret: true,
  fallback: null,
}

export const WEBHOOK_SECRET: Question = {
  setting: 'STRIPE_WEBHOOK_SECRET',
  flag: 'webhook-secret-file',
  words: 'The signing secret of the webhook endpoint',
  isSecret: true,
  fallback: null,
}

/** One of them is answered. */
export const MAIL_SECRETS = {
  resend: {
    setting: 'RESEND_API_KEY',
    flag: 'resend-key-file',
    words: 'The API key of Resend, from https://resend.com/api-keys',
    isSecret: true,
    fallback: null,
  },
  smtp: {
    setting: 'SMTP_URL',
    flag: 'smtp-url-file',
    words: 'The mail server, as smtp://USER:PASSWORD@HOST:PORT or smtps://…',
    isSecret: true,
    fallback: null,
  },
} as const satisfies Record<string, Question>

export type MailProvider = keyof typeof MAIL_SECRETS

export const EMAIL_FROM: Question = {
  setting: 'EMAIL_FROM',
  flag: 'email-from',
  words: 'The sender of the mails, such as Alibi <hello@example.com>',
  isSecret: false,
  fallback: null,
}

export const DATABASE: Question = {
  setting: 'DATABASE_URL',
  flag: 'database-url',
  words: 'The database, as sqlite:PATH',
  isSecret: false,
  fallback: null,
}

/** Every question that an option answers. */
export const QUESTIONS: readonly Question[] = [
  PUBLIC_URL,
  ...PRODUCT,
  STRIPE_KEY,
  WEBHOOK_SECRET,
  MAIL_SECRETS.resend,
  MAIL_SECRETS.smtp,
  EMAIL_FROM,
  DATABASE,
]

/** Answers by the name of the setting. */
export type Answers = ReadonlyMap<string, string>

/** The provider that the answers choose, else the one that is set up; null where neither says. */
export function mailProviderOf(given: Answers, current: Answers): MailProvider | null {
  const { resend, smtp } = MAIL_SECRETS
  for (const source of [given, current]) {
    if (source.get(resend.setting)) return 'resend'
    if (source.get(smtp.setting)) return 'smtp'
  }
  return null
}

/** The options without which there is no answer that `--yes` could take. */
export function missingFlags(given: Answers, current: Answers): readonly string[] {
  const isAnswered = ({ setting, fallback }: Question) =>
    Boolean(given.get(setting) ?? current.get(setting) ?? fallback)
  const { resend, smtp } = MAIL_SECRETS
  return [
    ...[PUBLIC_URL, STRIPE_KEY].filter((one) => !isAnswered(one)).map(({ flag }) => `--${flag}`),
    ...(mailProviderOf(given, current) === null ? [`--${resend.flag} or --${smtp.flag}`] : []),
    ...(isAnswered(EMAIL_FROM) ? [] : [`--${EMAIL_FROM.flag}`]),
  ]
}
