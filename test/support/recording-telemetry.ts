import type { Telemetry, TelemetryEvent } from '../../application/telemetry.ts'

/** Telemetry that keeps every event. */
export function recordingTelemetry() {
  const events: TelemetryEvent[] = []
  const telemetry: Telemetry = { record: (event) => void events.push(event) }
  return {
    ...telemetry,
    events,
    /** Those of one kind, in their order. */
    of: <Kind extends TelemetryEvent['kind']>(kind: Kind) =>
      events.filter(
        (event): event is Extract<TelemetryEvent, { kind: Kind }> => event.kind === kind,
      ),
  }
}
