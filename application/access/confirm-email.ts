import type { CodeChallenge } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import type { OtpCode } from '../../domain/otp.ts'
import type { Sender } from '../../domain/sender.ts'
import { newVerification } from '../../domain/verification.ts'
import type { Ports, Token } from '../ports.ts'
import { redeemOtp } from './redeem-otp.ts'
import { issueToken, readTokenAccess } from './tokens.ts'

type Dependencies = Pick<
  Ports,
  'otps' | 'secrets' | 'clock' | 'rules' | 'access' | 'tokens' | 'telemetry'
>

/**
 * Proves an address by its code. Returns a token when it has premium already, else null. Throws as `redeemOtp`. Where a
 * browser gives a challenge, it can log in by `logInVerified` once the address has premium.
 */
export async function confirmEmail(
  ports: Dependencies,
  {
    email,
    code,
    sender,
    codeChallenge = null,
  }: { email: Email; code: OtpCode; sender: Sender; codeChallenge?: CodeChallenge | null },
): Promise<Token | null> {
  const access = await readTokenAccess(ports, email)

  const lifetimeMs = ports.rules.verificationLifetimeMs
  const now = ports.clock.now()
  const verification = newVerification(email, {
    codeChallenge,
    epoch: access.epoch,
    lifetimeMs,
    now,
  })
  await redeemOtp(ports, { email, code, sender, verification })
  return access.hasPremium ? issueToken(ports, email, access) : null
}
