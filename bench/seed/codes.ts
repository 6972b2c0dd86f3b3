import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { ATTEMPTS_MAX } from '../../domain/otp.ts'
import { hmacSecrets } from '../../infrastructure/secrets/hmac-secrets.ts'
import { SECRETS } from '../servers/secrets.ts'
import { openBeside } from './open-purchases.ts'

const INSERT_CODE = `INSERT INTO otps (
  email, sender, role, seed, issued_at, expires_at, attempts_left
) VALUES (?1, 'stranger', 'current', ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET seed = excluded.seed, issued_at = excluded.issued_at,
  expires_at = excluded.expires_at, attempts_left = excluded.attempts_left`

const INSERT_MAIL = `INSERT OR REPLACE INTO otp_mails (email, sender, position, sent_at)
VALUES (?1, 'stranger', 0, ?2)`

/** Stores for each address the code that was mailed to it just now, and returns the codes. */
export function mailCodes(path: string, emails: readonly Email[]): readonly string[] {
  const secrets = hmacSecrets({ secret: SECRETS.JWT_SECRET })
  const client = openBeside(path)
  const insertCode = client.prepare(INSERT_CODE)
  const insertMail = client.prepare(INSERT_MAIL)
  const now = Date.now()
  const codes = client.transaction(() =>
    emails.map((email) => {
      const seed = secrets.newOtpSeed()
      insertCode.run(email, seed, now, now + 10 * MINUTE_MS, ATTEMPTS_MAX)
      insertMail.run(email, now)
      return secrets.deriveOtpCode(email, seed)
    }),
  )()
  client.close(true)
  return codes
}
