import type { Email } from '../domain/email.ts'
import type { OtpCode } from '../domain/otp.ts'
import { verifyEmail } from '../domain/verification.ts'
import { checkPremium } from './check-premium.ts'
import { issueToken } from './issue-token.ts'
import type { Ports, Token } from './ports.ts'
import { redeemOtp } from './redeem-otp.ts'

type Dependencies = Pick<
  Ports,
  'otps' | 'secrets' | 'clock' | 'rules' | 'verifications' | 'premiumGrants' | 'logOuts' | 'tokens'
>

/** Proves an address by its code. Returns a token when it has premium already, else null. Throws as `redeemOtp`. */
export async function confirmEmail(
  ports: Dependencies,
  { email, code }: { email: Email; code: OtpCode },
): Promise<Token | null> {
  await redeemOtp(ports, { email, code })

  const lifetimeMs = ports.rules.verificationLifetimeMs
  await ports.verifications.save(verifyEmail(email, { lifetimeMs, now: ports.clock.now() }))

  return (await checkPremium(ports, email)) ? issueToken(ports, email) : null
}
