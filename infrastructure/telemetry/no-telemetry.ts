import type { Telemetry } from '../../application/telemetry.ts'

/** For a service whose operator watches nothing, and for commands that are over in a moment. */
export const NO_TELEMETRY: Telemetry = { record() {} }
