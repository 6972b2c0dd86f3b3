import type { Ports } from '../../../application/ports.ts'
import type { NotificationReceived } from '../../../application/telemetry.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DomainError } from '../../../domain/errors.ts'

/** Throws `invalid_signature` where the request's head shows that its signature is none, before its body is read. */
export function refuseByHead(
  ports: Pick<Ports, 'notifications' | 'telemetry'>,
  { headers }: Pick<Request, 'headers'>,
): void {
  try {
    ports.notifications.checkSignatureHeader(headers.get('stripe-signature'))
  } catch (error) {
    recordFailure(ports, error)
    throw error
  }
}

/** Counts a notification that came to nothing. */
export function recordFailure({ telemetry }: Pick<Ports, 'telemetry'>, error: unknown): void {
  telemetry.record({ kind: 'notification_received', outcome: failureOutcome(error), lagMs: null })
}

function failureOutcome(error: unknown): NotificationReceived['outcome'] {
  if (error instanceof Unavailable) return 'unavailable'
  return error instanceof DomainError ? 'refused' : 'fault'
}
