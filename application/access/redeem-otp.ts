import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { attemptOtp, type OtpCode } from '../../domain/otp.ts'
import type { Sender } from '../../domain/sender.ts'
import type { Verification } from '../../domain/verification.ts'
import type { Ports } from '../ports.ts'

type Dependencies = Pick<Ports, 'otps' | 'secrets' | 'clock' | 'telemetry'>

/**
 * Spends a code: the step that confirm-email and log-in share. A right code and the verification, if there is one, are
 * stored together. Throws `invalid_code` for any other code, and `too_many_wrong_codes` once the address, or the
 * sender's network, has used up a day's wrong tries.
 */
export async function redeemOtp(
  ports: Dependencies,
  {
    email,
    code,
    sender,
    verification = null,
  }: { email: Email; code: OtpCode; sender: Sender; verification?: Verification | null },
): Promise<void> {
  const owner = { email, sender: sender.kind }
  const { outcome } = await ports.otps.update(owner, (record) => {
    const attempt = attemptOtp(record, {
      code,
      hasKey: ({ seed }) => ports.secrets.knowsKeyOf(seed),
      deriveCode: ({ seed }) => ports.secrets.deriveOtpCode(email, seed),
      sender,
      now: ports.clock.now(),
    })
    return { ...attempt, verification: attempt.outcome === 'right' ? verification : null }
  })
  ports.telemetry.record({ kind: 'code_tried', outcome })
  if (outcome !== 'right') throw new DomainError('invalid_code')
}
