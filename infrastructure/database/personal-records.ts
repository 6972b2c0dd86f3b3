import type { Account, PersonalRecords } from '../../application/store.ts'
import type { Otp, OtpRecord } from '../../domain/otp.ts'
import type { SenderKind } from '../../domain/sender.ts'

// What any kind of database makes of its rows for a person who asks what is stored.

type CodeRecords = Pick<PersonalRecords, 'codes' | 'codeMails' | 'wrongTries'>
type AccountRecords = Pick<PersonalRecords, 'verification' | 'purchases' | 'refunds' | 'disputes'>

/** The records of both kinds of sender, without the seeds of codes and the digests of mailboxes. */
export function toCodeRecords(
  records: readonly { readonly sender: SenderKind; readonly record: OtpRecord }[],
): CodeRecords {
  return {
    codes: records.flatMap(({ sender, record: { current, replacement } }) =>
      [current, replacement]
        .filter((otp) => otp !== null)
        .map((otp) => ({ ...withoutSeed(otp), sender })),
    ),
    codeMails: records.flatMap(({ sender, record }) =>
      record.mails.map(({ at, network }) => ({ at, network, sender })),
    ),
    wrongTries: records.flatMap(({ sender, record }) =>
      record.wrongTries.map((counted) => ({ ...counted, sender })),
    ),
  }
}

/** The account without the digest of the browser, and without what its grants are told from. */
export function toAccountRecords({
  verification,
  purchases,
  refunds,
  disputes,
}: Account): AccountRecords {
  return {
    verification: verification && {
      email: verification.email,
      verifiedAt: verification.verifiedAt,
      expiresAt: verification.expiresAt,
    },
    purchases,
    refunds,
    disputes,
  }
}

/** The seed of a code is a secret of the service, and no data of the address. */
function withoutSeed({ issuedAt, expiresAt, attemptsLeft }: Otp): Omit<Otp, 'seed'> {
  return { issuedAt, expiresAt, attemptsLeft }
}
