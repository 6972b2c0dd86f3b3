import type { Email } from '../domain/email.ts'
import { DomainError } from '../domain/errors.ts'
import { attemptOtp, type OtpCode } from '../domain/otp.ts'
import type { Ports } from './ports.ts'

type Dependencies = Pick<Ports, 'otps' | 'secrets' | 'clock'>

/**
 * Spends a code: the step that confirm-email and log-in share. Throws `invalid_code` whatever was wrong with it,
 * and `too_many_wrong_codes` once the address has used up a day's wrong tries.
 */
export async function redeemOtp(
  ports: Dependencies,
  { email, code }: { email: Email; code: OtpCode },
): Promise<void> {
  const { accepted } = await ports.otps.update(email, (record) =>
    attemptOtp(record, {
      code,
      deriveCode: ({ seed }) => ports.secrets.deriveOtpCode(email, seed),
      now: ports.clock.now(),
    }),
  )
  if (!accepted) throw new DomainError('invalid_code')
}
