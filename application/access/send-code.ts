import type { Email } from '../../domain/email.ts'
import type { Language } from '../../domain/language.ts'
import { confirmMailed, issueOtp, type OtpCode, releaseMail } from '../../domain/otp.ts'
import type { Ports } from '../ports.ts'

type Dependencies = Pick<Ports, 'otps' | 'premiumGrants' | 'secrets' | 'mailer' | 'clock' | 'rules'>

/**
 * Mails an address its code and returns it. The mail is counted before it is sent, so that parallel requests cannot
 * exceed the limit, and uncounted when it cannot be sent. Throws `too_many_mails`, or `Unavailable('email')`: then the
 * previous code stays valid.
 */
export async function sendCode(
  ports: Dependencies,
  { email, language }: { email: Email; language: Language },
): Promise<OtpCode> {
  const grants = await ports.premiumGrants.findByEmail(email)
  const isCustomer = grants.length > 0
  const now = ports.clock.now()
  const freshSeed = ports.secrets.newOtpSeed()
  const lifetimeMs = ports.rules.otpLifetimeMs
  const { otp } = await ports.otps.update(email, (record) =>
    issueOtp(record, { freshSeed, lifetimeMs, now }),
  )

  const code = ports.secrets.deriveOtpCode(email, otp.seed)
  const validForMs = otp.expiresAt.getTime() - now.getTime()
  try {
    await ports.mailer.sendOtp({ to: email, code, language, validForMs, isCustomer })
  } catch (error) {
    await ports.otps.update(email, (record) => ({ record: releaseMail(record, now) }))
    throw error
  }

  await ports.otps.update(email, (record) => ({ record: confirmMailed(record, otp) }))
  return code
}
