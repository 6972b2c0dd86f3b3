import { latestMoment } from '../../domain/clock-skew.ts'
import type { Email } from '../../domain/email.ts'
import type { Language } from '../../domain/language.ts'
import { assertMailFits, mailShares, type ServiceMail } from '../../domain/mail-limit.ts'
import { mailboxOf } from '../../domain/mailbox.ts'
import { confirmMailed, issueOtp, type Otp, type OtpCode, releaseMail } from '../../domain/otp.ts'
import type { OtpOwner, Sender } from '../../domain/sender.ts'
import type { MailCounts, ServiceMailWindow } from '../otp-repository.ts'
import type { Ports } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { findAccess } from './check-premium.ts'

type Dependencies = Pick<Ports, 'otps' | 'secrets' | 'mailer' | 'clock' | 'rules'>

/** Who gets a code, in which language, and who has asked for it. */
export type CodeRequest = {
  readonly email: Email
  readonly language: Language
  readonly sender: Sender
}

type Order = {
  readonly owner: OtpOwner
  readonly sender: Sender
  readonly isCustomer: boolean
  readonly now: Date
}

/** As `mailCode`, for any address. */
export async function sendCode(
  ports: Dependencies & Pick<Ports, 'access'>,
  request: CodeRequest,
): Promise<OtpCode> {
  const { grants } = await findAccess(ports, request.email)
  return mailCode(ports, { ...request, isCustomer: grants.length > 0 })
}

/**
 * Mails an address its code and returns it. `isCustomer` says whether it ever had premium. The mail is counted before
 * it is sent, so that parallel requests cannot exceed a limit, and uncounted when it cannot be sent. Throws
 * `too_many_mails`, else `mail_limit_reached`, or `Unavailable('email')`: then the previous code stays valid.
 */
export async function mailCode(
  ports: Dependencies,
  { email, language, sender, isCustomer }: CodeRequest & { isCustomer: boolean },
): Promise<OtpCode> {
  const now = ports.clock.now()
  const owner: OtpOwner = { email, sender: sender.kind }
  const { record, otp, mail, serviceMail } = await reserve(ports, {
    owner,
    sender,
    isCustomer,
    now,
  })

  const code = ports.secrets.deriveOtpCode(email, otp.seed)
  const validForMs = otp.expiresAt.getTime() - now.getTime()
  try {
    await ports.mailer.sendOtp({ to: email, code, language, validForMs, isCustomer })
  } catch (error) {
    // A stranger's code that may still arrive is given up as well: else an outage would let anybody store rows.
    const mayArrive = isCustomer && !(error instanceof Unavailable && error.answered)
    await ports.otps.update(owner, (current) => ({
      record: releaseMail(current, { mail, otp, mayArrive }),
      releasedServiceMail: serviceMail,
    }))
    throw error
  }

  // Nearly always the code counts since it was reserved, and nothing is left to store.
  if (confirmMailed(record, otp) !== record) {
    await ports.otps.update(owner, (current) => ({ record: confirmMailed(current, otp) }))
  }
  return code
}

/** Counts the mail for its address, its mailbox and the service. */
function reserve({ otps, secrets, rules }: Dependencies, order: Order) {
  const { owner, sender, isCustomer, now } = order
  const { mailLimit } = rules
  const freshSeed = secrets.newOtpSeed()
  const hasKey = ({ seed }: Pick<Otp, 'seed'>) => secrets.knowsKeyOf(seed)
  const lifetimeMs = rules.otpLifetimeMs
  const mailboxes = sender.kind === 'holder' ? [] : secrets.mailboxDigests(mailboxOf(owner.email))
  const [digest] = mailboxes
  const serviceMail: ServiceMail | null = mailLimit && {
    at: now,
    isCustomer,
    network: sender.kind === 'holder' ? null : sender.network,
  }
  const service: ServiceMailWindow | null = mailLimit &&
    serviceMail && {
      since: new Date(now.getTime() - mailLimit.windowMs),
      until: latestMoment(now),
      network: serviceMail.network,
      shares: mailShares(mailLimit),
    }

  return otps.updateMails(
    owner,
    { mailboxes, service },
    ({ record, mailboxMails, fullShares }: MailCounts) => {
      const mailbox = digest ? { digest, mails: mailboxMails } : null
      const issued = issueOtp(record, { freshSeed, hasKey, lifetimeMs, sender, mailbox, now })
      // What a holder may get is bounded by the address's own limits alone, so that no stranger uses it up.
      if (mailLimit && sender.kind !== 'holder') {
        assertMailFits(fullShares, { windowMs: mailLimit.windowMs, isCustomer })
      }
      return { ...issued, serviceMail }
    },
  )
}
