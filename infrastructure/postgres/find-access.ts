import type { AccessFacts } from '../../application/access-repository.ts'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import type { GrantFacts, PaymentFacts } from '../../domain/premium-grant.ts'

/** Whose facts are asked for, and by which digests it is known once it is erased. */
export type Asked = { readonly email: Email; readonly digests: readonly ErasedEmailDigest[] }

/** All that one address has, as the statement gives it. Numbers of 64 bits come as texts. */
export type AccessRow = {
  readonly ordinal: number
  readonly epoch: string | null
  readonly loggedOutIn: string | null
  readonly given: readonly GivenRow[] | null
  readonly bought: readonly BoughtRow[] | null
}

type GivenRow = { readonly revokedAt: string | null }
type BoughtRow = GivenRow & { readonly amountPaid: number } & {
  readonly [Kind in 'refunds' | 'disputes']: PaymentFacts[Kind] | null
}

/**
 * For each of several addresses ($1) one row, in their order. $4 are all their digests; those of an address stand there
 * from its place in $2 to that in $3. One statement, which sees one moment by itself.
 */
export const SELECT_ACCESS = `
  SELECT asked.ordinal::integer AS ordinal,
    (SELECT epoch FROM log_out_epoch) AS epoch,
    greatest(
      (SELECT epoch FROM log_outs WHERE log_outs.email = asked.email),
      (SELECT epoch FROM common_log_out),
      (SELECT max(epoch)
        FROM unnest(($4::text[])[asked.first_digest:asked.last_digest]) AS digests (trace)
        JOIN erased_log_outs USING (trace))
    ) AS "loggedOutIn",
    (SELECT json_agg(json_build_object('revokedAt', revoked_at)) FROM operator_grants
      WHERE operator_grants.email = asked.email) AS given,
    (SELECT json_agg(json_build_object(
      'revokedAt', revoked_at,
      'amountPaid', amount_paid,
      'refunds', (SELECT json_agg(json_build_object('amount', amount, 'state', refunds.state))
        FROM refunds WHERE refunds.payment_intent_id = purchases.payment_intent_id),
      'disputes', (SELECT json_agg(json_build_object('state', disputes.state))
        FROM disputes WHERE disputes.payment_intent_id = purchases.payment_intent_id)
    )) FROM purchases WHERE purchases.email = asked.email AND purchases.state = 'paid') AS bought
  FROM unnest($1::text[], $2::integer[], $3::integer[])
    WITH ORDINALITY AS asked (email, first_digest, last_digest, ordinal)
  ORDER BY asked.ordinal`

/** What the statement is given. */
export function bindAccess(asked: readonly Asked[]): readonly unknown[] {
  const ends: number[] = []
  for (const { digests } of asked) ends.push((ends.at(-1) ?? 0) + digests.length)
  return [
    asked.map(({ email }) => email),
    asked.map((_, index) => (ends[index - 1] ?? 0) + 1),
    ends,
    asked.flatMap(({ digests }) => digests),
  ]
}

export function toAccessFacts({ epoch, loggedOutIn, given, bought }: AccessRow): AccessFacts {
  const grants: GrantFacts[] = [
    ...(given ?? []).map(({ revokedAt }) => ({ payment: null, revokedAt: toMoment(revokedAt) })),
    ...(bought ?? []).map(({ revokedAt, amountPaid, refunds, disputes }) => ({
      payment: { amountPaid, refunds: refunds ?? [], disputes: disputes ?? [] },
      revokedAt: toMoment(revokedAt),
    })),
  ]
  return {
    grants,
    loggedOutIn: toEpoch(loggedOutIn),
    epoch: toEpoch(epoch) ?? FIRST_EPOCH,
  }
}

function toMoment(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

function toEpoch(text: string | null): Epoch | null {
  return text === null ? null : (Number(text) as Epoch)
}
