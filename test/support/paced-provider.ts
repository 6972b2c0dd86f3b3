import { builtInContent } from '../../infrastructure/content/content.ts'
import { resendMailer } from '../../infrastructure/mail/resend-mailer.ts'
import { type SendingPace, sendingPace } from '../../infrastructure/mail/sending-pace.ts'
import { refusal, startMailbox } from './mailbox.ts'
import { movedTimers } from './moved-timers.ts'
import { PATIENCE_MS } from './patience.ts'
import { turn } from './stopped-timers.ts'

const SECOND_MS = 1000
const TIMEOUT_MS = 10_000
const STEP_MS = 50

/**
 * A mailbox that takes `perSecond` mails in any second of the test's time, says so as Resend does, and refuses others;
 * and the mailer of production at it, on the same time.
 */
export function openPacedProvider({
  perSecond,
  silent = false,
}: {
  perSecond: number
  silent?: boolean
}) {
  const timers = movedTimers()
  const mailbox = startMailbox()
  let takenMs: number[] = []
  let refused = 0
  mailbox.announce((status) => {
    if (silent) return {}
    const headers = {
      'ratelimit-limit': String(perSecond),
      'ratelimit-policy': `${perSecond};w=1`,
      'ratelimit-remaining': String(perSecond - takenMs.length),
      'ratelimit-reset': '1',
    }
    return status === 429 ? { ...headers, 'retry-after': '1' } : headers
  })
  mailbox.judge(() => {
    const now = timers.monotonicMs()
    takenMs = takenMs.filter((atMs) => atMs > now - SECOND_MS)
    if (takenMs.length < perSecond) {
      takenMs.push(now)
      return null
    }
    refused++
    return refusal(429, 'rate_limit_exceeded', 'Too many requests.')
  })

  let underWay = 0
  let asked = 0
  const inner = sendingPace({ timers, timeoutMs: TIMEOUT_MS })
  const pace: SendingPace = {
    send(tryOnce, mail) {
      asked++
      return inner.send(async (timeLeftMs) => {
        underWay++
        // The provider answers before time goes on, however slow this machine is.
        return tryOnce(timeLeftMs + PATIENCE_MS).finally(() => underWay--)
      }, mail)
    },
  }

  /** Until everything has happened that happens at this moment. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = underWay > 0 ? 0 : quiet + 1) await turn()
  }

  return {
    mailbox,
    timers,
    settle,
    mailer: resendMailer({
      apiKey: 're_0123456789',
      baseUrl: mailbox.url,
      from: 'Alibi <no-reply@example.com>',
      content: builtInContent(),
      publicUrl: 'https://alibi.example.com',
      timeoutMs: TIMEOUT_MS,
      pace,
    }),
    /** How many mails the provider refused. */
    countRefused: () => refused,
    /** Until so many mails were handed to the mailer in all. */
    async untilAsked(count: number): Promise<void> {
      while (asked < count) await turn()
      await settle()
    },
    async pass(milliseconds: number): Promise<void> {
      for (let passedMs = 0; passedMs < milliseconds; passedMs += STEP_MS) {
        timers.advance(STEP_MS)
        await settle()
      }
    },
  }
}
