import { HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { IS_WHOLE, IS_WHOLE_STRESS } from './thoroughness.ts'

// The only patience that the tests have, so that none of them fails because the machine is busy with something else.
// What is promised to come in time is tested on a clock that the test moves, or by a bound that only a wrong product
// can miss.

/** How long a test, and each of its hooks, may take before it is said to hang. */
export const TEST_LIMIT_MS = limitMs()

/** How long it waits for another process or a page: less than that, so that its failure says for what. */
export const PATIENCE_MS = 5 * MINUTE_MS

function limitMs(): number {
  if (IS_WHOLE_STRESS) return HOUR_MS
  return IS_WHOLE ? 20 * MINUTE_MS : 10 * MINUTE_MS
}
