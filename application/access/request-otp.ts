import type { Email } from '../../domain/email.ts'
import type { Language } from '../../domain/language.ts'
import type { OtpCode } from '../../domain/otp.ts'
import type { Sender } from '../../domain/sender.ts'
import type { Ports } from '../ports.ts'
import { requirePremium } from './check-premium.ts'
import { sendCode } from './send-code.ts'

type Dependencies = Pick<
  Ports,
  'otps' | 'secrets' | 'mailer' | 'clock' | 'rules' | 'premiumGrants' | 'access'
>

/** Mails a code to an address that has premium. Throws `premium_required`, or as `sendCode` does. */
export async function requestOtp(
  ports: Dependencies,
  { email, language, sender }: { email: Email; language: Language; sender: Sender },
): Promise<OtpCode> {
  await requirePremium(ports, email)

  return sendCode(ports, { email, language, sender })
}
