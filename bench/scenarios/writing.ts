import { post } from '../load/request-file.ts'
import { emailOf } from '../seed/addresses.ts'
import { payments } from '../seed/notifications.ts'
import type { Scenario, Stage } from './scenario.ts'

const WRITING = { tokens: 0, writes: true, isRepeated: false } as const

export async function paymentRequests(stage: Stage, amount: number): Promise<readonly string[]> {
  const first = stage.takeNumbers(amount)
  await stage.database.openPurchases({ first, amount })
  const notifications = await payments(first, amount)
  return notifications.map(({ body, signature }) =>
    post('/webhook/stripe', body, { 'Stripe-Signature': signature }),
  )
}

/** Enough for none to have used up what MAIL_LIMIT leaves to one. */
const NETWORKS = 4096

/** Of addresses that nobody has used before, by clients of many networks. */
export async function verificationRequests(
  stage: Stage,
  amount: number,
): Promise<readonly string[]> {
  const first = stage.takeNumbers(amount)
  return Array.from({ length: amount }, (_, index) =>
    post('/auth/verify-email', JSON.stringify({ email: emailOf(first + index) }), {
      'X-Forwarded-For': clientOf(index % NETWORKS),
    }),
  )
}

/** An address of the network of that number. */
function clientOf(network: number): string {
  return `10.${network >> 8}.${network & 255}.9`
}

export const WRITING_SCENARIOS: readonly Scenario[] = [
  {
    ...WRITING,
    name: 'verify-email',
    about: 'a code for a new address, to the double of Resend',
    expected: '"success":true',
    requests: verificationRequests,
  },
  {
    ...WRITING,
    name: 'login',
    about: 'a code for a token, another reader each',
    expected: '"token":',
    async requests(stage, amount) {
      // A second code would take the place of the first one.
      const length = Math.min(amount, stage.addresses)
      const first = stage.takeNumbers(length)
      const emails = Array.from({ length }, (_, index) =>
        emailOf((first + index) % stage.addresses),
      )
      const codes = await stage.database.mailCodes(emails)
      return emails.map((email, index) =>
        post('/auth/login', JSON.stringify({ email, code: codes[index] })),
      )
    },
  },
  {
    ...WRITING,
    name: 'webhook',
    about: 'a payment, another purchase each, durable',
    expected: '"received":true',
    requests: paymentRequests,
    countStored: ({ database }) => database.countPaid(),
  },
]
