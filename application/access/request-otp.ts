import type { OtpCode } from '../../domain/otp.ts'
import type { Ports } from '../ports.ts'
import { requirePremium } from './check-premium.ts'
import { type CodeRequest, mailCode } from './send-code.ts'

type Dependencies = Pick<Ports, 'otps' | 'secrets' | 'mailer' | 'clock' | 'rules' | 'access'>

/** Mails a code to an address that has premium. Throws `premium_required`, or as `mailCode` does. */
export async function requestOtp(ports: Dependencies, request: CodeRequest): Promise<OtpCode> {
  await requirePremium(ports, request.email)

  return mailCode(ports, { ...request, isCustomer: true })
}
