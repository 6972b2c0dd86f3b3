import type { Email } from '../../domain/email.ts'
import { isOtpLive } from '../../domain/otp.ts'
import { hasPremium, isActive } from '../../domain/premium-grant.ts'
import { isVerified } from '../../domain/verification.ts'
import type { Ports } from '../ports.ts'
import type { PersonalRecords } from '../store.ts'

type Marked<Item, Mark extends string> = Item & { readonly [Name in Mark]: boolean }

type EmailExport = Omit<PersonalRecords, 'codes' | 'verification' | 'grants'> & {
  readonly email: Email
  readonly exportedAt: Date
  readonly hasPremium: boolean
  readonly codes: readonly Marked<PersonalRecords['codes'][number], 'isLive'>[]
  readonly verification: Marked<NonNullable<PersonalRecords['verification']>, 'isLive'> | null
  readonly grants: readonly Marked<PersonalRecords['grants'][number], 'isActive'>[]
}

/** Everything that is stored about an address, as it is at one moment. An unknown address has empty lists. */
export async function exportEmail(
  { personalData, clock }: Pick<Ports, 'personalData' | 'clock'>,
  email: Email,
): Promise<EmailExport> {
  const records = await personalData.find(email)
  const now = clock.now()
  const { codes, verification, grants } = records
  return {
    email,
    exportedAt: now,
    hasPremium: hasPremium(grants),
    ...records,
    codes: codes.map((code) => ({ ...code, isLive: isOtpLive(code, now) })),
    verification: verification && { ...verification, isLive: isVerified(verification, now) },
    grants: grants.map((grant) => ({ ...grant, isActive: isActive(grant) })),
  }
}
