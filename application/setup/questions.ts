/** A question of setup, the setting that its answer is for, and the option that answers it beforehand. */
export type Question = {
  readonly setting: string
  readonly words: string
  /** A secret is typed unseen, and its option names a file. */
  readonly isSecret: boolean
  /** The answer where there is none yet; null where only the operator knows it. */
  readonly fallback: string | null
  readonly flag: string
  /** What the value of the option is: in its usage, and for a user who leaves it out. */
  readonly value: string
  readonly needs: string
  readonly summary: string
}

type Words = Pick<Question, 'flag' | 'summary' | 'words'>

const open = (setting: string, words: Words & Pick<Question, 'value' | 'needs'>) =>
  ({ setting, isSecret: false, fallback: null, ...words }) as const
const secret = (setting: string, words: Words) =>
  ({ setting, isSecret: true, fallback: null, value: 'FILE', needs: 'a file', ...words }) as const

export const PUBLIC_URL: Question = open('PUBLIC_URL', {
  flag: 'public-url',
  value: 'URL',
  needs: 'a URL',
  summary: 'the address that users reach, https://…',
  words: 'The address that users reach, such as https://alibi.example.com',
})

export const NAME: Question = {
  ...open('PREMIUM_NAME', {
    flag: 'name',
    value: 'TEXT',
    needs: 'a text',
    summary: 'what is sold, as buyers read it',
    words: 'What is sold, as buyers read it',
  }),
  fallback: 'Alibi Premium',
}

/** Answered as people write a price; the setting is in minor units. */
export const PRICE: Question = {
  ...open('PREMIUM_PRICE', {
    flag: 'price',
    value: 'AMOUNT',
    needs: 'an amount',
    summary: 'its price, such as 5, 5.00 or 5,00',
    words: 'The price, such as 5 or 5.00',
  }),
  fallback: '400',
}

export const CURRENCY = {
  ...open('PREMIUM_CURRENCY', {
    flag: 'currency',
    value: 'CODE',
    needs: 'a currency code',
    summary: 'the currency of the price, such as eur',
    words: 'The currency, a code of three letters',
  }),
  fallback: 'eur',
} as const satisfies Question

/** What is sold, unless it is a price kept at Stripe. The price is read in the currency. */
export const PRODUCT: readonly Question[] = [NAME, CURRENCY, PRICE]

export const STRIPE_KEY: Question = secret('STRIPE_SECRET_KEY', {
  flag: 'stripe-key-file',
  summary: 'a file with the secret or restricted key of Stripe',
  words: 'The secret or restricted key of Stripe, from https://dashboard.stripe.com/apikeys',
})

export const WEBHOOK_SECRET: Question = secret('STRIPE_WEBHOOK_SECRET', {
  flag: 'webhook-secret-file',
  summary: 'a file with the signing secret of an endpoint made by hand',
  words: 'The signing secret of the webhook endpoint',
})

export const DATABASE: Question = open('DATABASE_URL', {
  flag: 'database-url',
  value: 'sqlite:PATH',
  needs: 'sqlite:PATH',
  summary: 'the database, where it is a file',
  words: 'The database, as sqlite:PATH',
})

/** One of them is answered. */
export const MAIL_SECRETS = {
  resend: secret('RESEND_API_KEY', {
    flag: 'resend-key-file',
    summary: 'a file with the API key of Resend: mails go by Resend',
    words: 'The API key of Resend, from https://resend.com/api-keys',
  }),
  smtp: secret('SMTP_URL', {
    flag: 'smtp-url-file',
    summary: 'a file with smtp://USER:PASSWORD@HOST:PORT: mails go by SMTP',
    words: 'The mail server, as smtp://USER:PASSWORD@HOST:PORT or smtps://…',
  }),
}

export type MailProvider = keyof typeof MAIL_SECRETS

export const EMAIL_FROM: Question = open('EMAIL_FROM', {
  flag: 'email-from',
  value: 'SENDER',
  needs: 'a sender',
  summary: 'the sender of the mails',
  words: 'The sender of the mails, such as Alibi <hello@example.com>',
})

/** Every question, in the order in which help shows their options. */
export const QUESTIONS: readonly Question[] = [
  PUBLIC_URL,
  NAME,
  PRICE,
  CURRENCY,
  STRIPE_KEY,
  WEBHOOK_SECRET,
  DATABASE,
  MAIL_SECRETS.resend,
  MAIL_SECRETS.smtp,
  EMAIL_FROM,
]

/** Answers by the name of the setting. */
export type Answers = ReadonlyMap<string, string>

/** The provider that the answers choose; null where they do not. */
export function mailProviderOf(answers: Answers): MailProvider | null {
  if (answers.get(MAIL_SECRETS.resend.setting)) return 'resend'
  return answers.get(MAIL_SECRETS.smtp.setting) ? 'smtp' : null
}

/** The options without which there is no answer that `--yes` could take. */
export function missingFlags(given: Answers, current: Answers): readonly string[] {
  const isAnswered = ({ setting, fallback }: Question) =>
    Boolean(given.get(setting) ?? current.get(setting) ?? fallback)
  const { resend, smtp } = MAIL_SECRETS
  const mail = mailProviderOf(given) ?? mailProviderOf(current)
  return [
    ...[PUBLIC_URL, STRIPE_KEY].filter((one) => !isAnswered(one)).map(({ flag }) => `--${flag}`),
    ...(mail === null ? [`--${resend.flag} or --${smtp.flag}`] : []),
    ...(isAnswered(EMAIL_FROM) ? [] : [`--${EMAIL_FROM.flag}`]),
  ]
}
