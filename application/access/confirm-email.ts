import type { CodeChallenge } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import type { OtpCode } from '../../domain/otp.ts'
import { hasPaymentUnderWay } from '../../domain/purchase.ts'
import type { Sender } from '../../domain/sender.ts'
import { newVerification } from '../../domain/verification.ts'
import type { Ports, Token } from '../ports.ts'
import { redeemOtp } from './redeem-otp.ts'
import { issueToken, readTokenAccess } from './tokens.ts'

type Dependencies = Pick<
  Ports,
  'otps' | 'secrets' | 'clock' | 'rules' | 'access' | 'tokens' | 'telemetry' | 'purchases'
>

/**
 * Proves an address by its code. Returns a token when it has premium already, else null and whether a payment is under
 * way, as far as is stored. Throws as `redeemOtp`. Where a browser gives a challenge, it can log in by `logInVerified`
 * once the address has premium.
 */
export async function confirmEmail(
  ports: Dependencies,
  {
    email,
    code,
    sender,
    codeChallenge = null,
  }: { email: Email; code: OtpCode; sender: Sender; codeChallenge?: CodeChallenge | null },
): Promise<{ token: Token | null; isPaymentUnderWay: boolean }> {
  // All that is read comes before the code is used up, which an outage must not cost.
  const access = await readTokenAccess(ports, email)
  const isPaymentUnderWay =
    !access.hasPremium && hasPaymentUnderWay(await ports.purchases.findAccount(email))

  const lifetimeMs = ports.rules.verificationLifetimeMs
  const now = ports.clock.now()
  const verification = newVerification(email, {
    codeChallenge,
    epoch: access.epoch,
    lifetimeMs,
    now,
  })
  await redeemOtp(ports, { email, code, sender, verification })
  const token = access.hasPremium ? await issueToken(ports, email, access) : null
  return { token, isPaymentUnderWay }
}
