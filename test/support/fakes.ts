import { listKeys, type Strings } from '../../application/content/strings.ts'
import { LOG_EVENTS, type LogEvent, type LogLevel } from '../../application/log-events.ts'
import type {
  Content,
  LanguageContent,
  Log,
  LogFields,
  Mailer,
  OtpMail,
  PaymentNotice,
  Ports,
  Secrets,
  Token,
  Tokens,
} from '../../application/ports.ts'
import type { Store } from '../../application/store.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { erasedEmail } from '../../domain/erasure.ts'
import { type Excuse, TAG_VALUES } from '../../domain/excuse.ts'
import type { Origin } from '../../domain/grant-change.ts'
import { LANGUAGES } from '../../domain/language.ts'
import type { Epoch } from '../../domain/log-out.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { OtpCode, OtpSeed } from '../../domain/otp.ts'
import type { Purchase, PurchaseState } from '../../domain/purchase.ts'
import type { Verification } from '../../domain/verification.ts'
import { sessionQuestionGate } from '../../infrastructure/rate-limit/session-question-gate.ts'
import { readerDecks } from '../../infrastructure/reader-decks.ts'
import { hmacSecrets } from '../../infrastructure/secrets/hmac-secrets.ts'
import { recordingTelemetry } from './recording-telemetry.ts'
import { findEpoch } from './stores/log-outs.ts'
import { memoryStore } from './stores/memory-store.ts'
import { scriptedPayments } from './stripe/scripted-payments.ts'

export const NOON = new Date('2026-03-01T12:00:00.000Z')

/** That of a log-out at noon, or right before it. */
export const NOON_EPOCH = NOON.getTime() as Epoch

/** For changes of which a test does not care who made them. */
export const ORIGIN: Origin = { at: NOON, by: 'operator', source: null }

/** A clock that stands still until it is moved. */
export function fixedClock(start: Date = NOON) {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    advance(milliseconds: number) {
      time += milliseconds
    },
  }
}

/** A mailer that keeps what it was given, a notice once for each key, and refuses while `outage` is true. */
export function recordingMailer() {
  const mails: OtpMail[] = []
  const notices: PaymentNotice[] = []
  function refuseInOutage() {
    if (mailer.outage) throw new Unavailable('email', { cause: new Error('out of order') })
  }
  const mailer = {
    mails,
    notices,
    outage: false,
    async sendOtp(mail: OtpMail) {
      refuseInOutage()
      mails.push(mail)
    },
    async sendPaymentNotice(notice: PaymentNotice) {
      refuseInOutage()
      if (notices.every(({ key }) => key !== notice.key)) notices.push(notice)
    },
  }
  return mailer satisfies Mailer
}

/** A log that keeps its lines. */
export function recordingLog() {
  const lines: { level: LogLevel; event: LogEvent; fields: LogFields }[] = []
  const log: Log = (event, fields = {}) => {
    lines.push({ level: LOG_EVENTS[event].level, event, fields })
  }
  return Object.assign(log, { lines })
}

/** Challenges take no key, and no test reads a digest, so that there is nothing to fake. */
const { challengeOf, erasureDigests, mailboxDigests } = hmacSecrets({ secret: 'of no use here' })

/** Codes 000001, 000002, … by seed; every other secret counts up in the same way. */
export function countingSecrets(): Secrets {
  let count = 0
  const next = () => String(++count).padStart(6, '0')
  return {
    newOtpSeed: () => next() as OtpSeed,
    knowsKeyOf: () => true,
    deriveOtpCode: (_email, seed) => seed as string as OtpCode,
    challengeOf,
    newPurchaseId: () => `pur_${next()}` as PurchaseId,
    newGrantId: () => `grant_${next()}`,
    newErasedEmail: () => erasedEmail(next()),
    erasureDigests,
    mailboxDigests,
    randomIndex: (bound) => ++count % bound,
  }
}

/** Tokens that can be read with the eye: `email|issued at|epoch`. They live for a day. */
export function plainTokens(): Tokens {
  function recall(token: string) {
    const [email = '', issued = '', epoch = ''] = token.split('|')
    if (!epoch) return null
    const issuedAt = new Date(issued)
    const expiresAt = new Date(issuedAt.getTime() + DAY_MS)
    return { email: email as Email, issuedAt, expiresAt, epoch: Number(epoch) as Epoch }
  }
  return {
    issue: async (email, { now, epoch }) => [email, now.toISOString(), epoch].join('|') as Token,
    verify: async (token) => recall(token),
    recall,
  }
}

/** An excuse with a text and, where a test cares, what it is for. */
export function excuse(text: string, own: Partial<Excuse> = {}): Excuse {
  return { text, tags: { occasion: [], to: [], tone: [] }, needs: [], isSample: false, ...own }
}

/** The texts of all excuses, in their order. */
export function textsOf({ excuses }: Pick<LanguageContent, 'excuses'>): string[] {
  return excuses.map(({ text }) => text)
}

/** Every string says its key, but for the title; two excuses in each language. */
export function tinyContent(): Content {
  return {
    languages: LANGUAGES,
    tagValues: TAG_VALUES,
    in: (language) => ({
      language,
      strings: {
        ...(Object.fromEntries(listKeys(language).map((key) => [key, key])) as Strings),
        title: `Alibi (${language})`,
      },
      excuses: [excuse(`${language} one`), excuse(`${language} two`)],
    }),
  }
}

/** Every string, with the same behind it. */
export function withSuffix(strings: Strings, suffix: string): Strings {
  const longer = Object.entries(strings).map(([key, text]) => [key, `${text}${suffix}`])
  return Object.fromEntries(longer) as Strings
}

/** Content that says some things in its own way, in every language. */
export function contentWith(own: Partial<LanguageContent>, content = tinyContent()): Content {
  return { ...content, in: (language) => ({ ...content.in(language), ...own }) }
}

/** A token as a right code gives one, whether the address has premium or not. */
export async function issueToken(
  ports: Pick<Ports, 'access' | 'tokens' | 'clock'>,
  email: Email,
): Promise<Token> {
  const epoch = await findEpoch(ports.access)
  return ports.tokens.issue(email, { now: ports.clock.now(), epoch })
}

/** The purchase in a state, with what belongs to that state. */
export function inState(purchase: Purchase, state: PurchaseState): Purchase {
  switch (state) {
    case 'review':
      return { ...purchase, state, reviewReason: 'amount', amountReceived: 400 }
    case 'paid':
      return {
        ...purchase,
        state,
        paidAt: NOON,
        amountPaid: 400,
        isDuplicate: false,
        revokedAt: null,
      }
    default:
      return { ...purchase, state }
  }
}

/** Makes an address verified, as a right code does. */
export async function saveVerification(
  { otps }: Pick<Store, 'otps'>,
  verification: Verification,
): Promise<void> {
  const owner = { email: verification.email, sender: 'stranger' as const }
  await otps.update(owner, (record) => ({ record, verification }))
}

/** Every port, faked, with a test's own instead where it gives one. */
export function fakePorts(own: Partial<Ports> = {}) {
  const clock = fixedClock()
  const monotonicMs = () => (own.clock ?? clock).now().getTime()
  const payments = scriptedPayments()
  const fakes = {
    ...memoryStore(),
    clock,
    mailer: recordingMailer(),
    payments,
    notifications: payments,
    sessionQuestions: sessionQuestionGate({ monotonicMs }),
    secrets: countingSecrets(),
    tokens: plainTokens(),
    content: tinyContent(),
    decks: readerDecks({ readersMax: 100 }),
    log: recordingLog(),
    telemetry: recordingTelemetry(),
    rules: {
      otpLifetimeMs: 10 * MINUTE_MS,
      verificationLifetimeMs: 30 * MINUTE_MS,
      tokenLifetimeMs: DAY_MS,
      mailLimit: null,
      allowPromotionCodes: false,
      amountMin: 0,
      refundDuplicates: true,
    },
  }
  return { ...fakes, ...own } as typeof fakes
}
