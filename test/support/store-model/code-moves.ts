import { latestMoment } from '../../../domain/clock-skew.ts'
import { HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { nextEpoch } from '../../../domain/log-out.ts'
import { assertMailFits, mailShares, type ServiceMail } from '../../../domain/mail-limit.ts'
import { mailboxOf } from '../../../domain/mailbox.ts'
import {
  attemptOtp,
  confirmMailed,
  forgetCounted,
  issueOtp,
  type OtpSeed,
  releaseMail,
} from '../../../domain/otp.ts'
import { newVerification } from '../../../domain/verification.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { codeOf, hasEveryKey, WRONG } from '../otp-moves.ts'
import type { Choice } from './choice.ts'

type Move = (store: DatabaseStore, choice: Choice) => Promise<unknown>

const MAIL_LIMIT = { limit: 12, windowMs: HOUR_MS }

/** What a store is asked for about codes, verifications and log-outs. The value is all that its caller learns. */
export const CODE_MOVES = {
  mailCode: mail,
  mailUnlimited: (store, choice) => mail(store, choice, null),
  confirmMail: ({ otps }, { owner }) =>
    otps.update(owner, (record) => ({
      record: record.replacement ? confirmMailed(record, record.replacement) : record,
    })),
  loseMail: ({ otps }, { owner, picks }) =>
    otps.update(owner, (record) => {
      const [lost, otp] = [record.mails.at(-1 - (picks[1] % 2)), record.current]
      if (!lost || !otp) return { record }
      const { at, network } = lost
      return {
        record: releaseMail(record, { mail: lost, otp, mayArrive: picks[2] % 2 === 0 }),
        releasedServiceMail: { at, network, isCustomer: false },
      }
    }),
  tryRight: (store, choice) => tryCode(store, choice, true),
  tryWrong: (store, choice) => tryCode(store, choice, false),
  forgetCounted: ({ otps }, { owner, now }) =>
    otps.update(owner, (record) => forgetCounted(record, now)),
  forgetMailbox: async ({ otps }, { email }) =>
    (await otps.forgetMailbox(mailboxOf(email))).toSorted(byMoment),
  findMailbox: async ({ otps }, { email }) =>
    (await otps.findMailboxMails(mailboxOf(email))).toSorted(byMoment),
  findVerification: ({ verifications }, { email }) => verifications.findByEmail(email),
  logOut: ({ logOuts }, { email, now }) => logOuts.update(email, (epoch) => nextEpoch(epoch, now)),
} satisfies Record<string, Move>

function mail(
  { otps }: DatabaseStore,
  { owner, sender, mailbox, now, index, picks }: Choice,
  mailLimit: typeof MAIL_LIMIT | null = MAIL_LIMIT,
) {
  const isCustomer = picks[1] % 3 === 0
  const isHolder = sender.kind === 'holder'
  const network = isHolder ? null : sender.network
  const serviceMail: ServiceMail = { at: now, isCustomer, network }
  const service = mailLimit && {
    since: new Date(now.getTime() - mailLimit.windowMs),
    until: latestMoment(now),
    network,
    shares: mailShares(mailLimit),
  }
  const mailboxes = isHolder ? [] : [mailbox]
  return otps.updateMails(owner, { mailboxes, service }, (counts) => {
    const issued = issueOtp(counts.record, {
      freshSeed: String(index).padStart(6, '0') as OtpSeed,
      hasKey: hasEveryKey,
      lifetimeMs: 10 * MINUTE_MS,
      sender,
      mailbox: isHolder ? null : { digest: mailbox, mails: counts.mailboxMails },
      now,
    })
    if (mailLimit && !isHolder) assertMailFits(counts.fullShares, { ...mailLimit, isCustomer })
    const mailboxMails = counts.mailboxMails.toSorted(byMoment)
    return { ...issued, counts: { ...counts, mailboxMails }, ...(mailLimit && { serviceMail }) }
  })
}

function tryCode({ otps }: DatabaseStore, choice: Choice, isRight: boolean) {
  const { email, owner, sender, now, picks } = choice
  const codeChallenge = picks[1] % 2 ? null : ('c'.repeat(43) as never)
  return otps.update(owner, (record) => {
    const code = isRight && record.current ? codeOf(record.current) : WRONG
    const attempt = attemptOtp(record, {
      code,
      hasKey: hasEveryKey,
      deriveCode: codeOf,
      sender,
      now,
    })
    const epoch = now.getTime() as never
    const proof = newVerification(email, { codeChallenge, epoch, lifetimeMs: HOUR_MS, now })
    return { ...attempt, verification: attempt.outcome === 'right' ? proof : null }
  })
}

/** A mailbox's mails have no order. */
function byMoment(
  left: { readonly at: Date; readonly network: string | null },
  right: typeof left,
): number {
  return (
    left.at.getTime() - right.at.getTime() ||
    String(left.network).localeCompare(String(right.network))
  )
}
