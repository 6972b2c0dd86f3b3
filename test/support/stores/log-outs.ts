import type { AccessRepository } from '../../../application/access-repository.ts'
import type { Email } from '../../../domain/email.ts'
import type { ErasedEmailDigest } from '../../../domain/erasure.ts'
import type { Epoch } from '../../../domain/log-out.ts'

/** The epoch before which the tokens of an address are void, by a log-out or an erasure. Null where none are. */
export async function findLogOut(
  access: AccessRepository,
  email: Email,
  digests: readonly ErasedEmailDigest[] = [],
): Promise<Epoch | null> {
  return (await access.findByEmail(email, () => digests)).loggedOutIn
}

/** The epoch of the database. */
export async function findEpoch(access: AccessRepository): Promise<Epoch> {
  return (await access.findByEmail('anybody@example.com' as Email, () => [])).epoch
}
