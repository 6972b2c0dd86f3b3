import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import type { OtpCode } from '../../domain/otp.ts'
import type { Sender } from '../../domain/sender.ts'
import type { Ports, Token } from '../ports.ts'
import { redeemOtp } from './redeem-otp.ts'
import { issueToken, readTokenAccess } from './tokens.ts'

type Dependencies = Pick<Ports, 'otps' | 'secrets' | 'clock' | 'access' | 'tokens' | 'telemetry'>

/**
 * Trades a right code for a token. Throws `premium_required_to_log_in` for an address without premium, and the code is
 * used up all the same. Also throws as `redeemOtp` does.
 */
export async function logIn(
  ports: Dependencies,
  { email, code, sender }: { email: Email; code: OtpCode; sender: Sender },
): Promise<Token> {
  const access = await readTokenAccess(ports, email)
  await redeemOtp(ports, { email, code, sender })

  if (!access.hasPremium) throw new DomainError('premium_required_to_log_in')
  return issueToken(ports, email, access)
}
