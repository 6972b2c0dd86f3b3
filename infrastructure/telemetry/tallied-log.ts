import type { LogEvent } from '../../application/log-events.ts'
import type { Log, LogFields } from '../../application/ports.ts'
import { SECOND_MS } from '../../domain/duration.ts'

type Rule = {
  /** How long is counted before lines say how often it was. */
  readonly everyMs: number
  /** Whether the first of a kind has a line of its own at once, and only the others are counted. */
  readonly firstInFull: boolean
  /** So many kinds are told apart; what comes beyond them is counted as one. */
  readonly kindsMax: number
}

/** During an outage every request has the same to say. */
const OUTAGE: Rule = { everyMs: 10 * SECOND_MS, firstInFull: true, kindsMax: 20 }

/** The events that may come by the thousand. */
const RULES: Partial<Record<LogEvent, Rule>> = {
  'http.requests_counted': { everyMs: SECOND_MS, firstInFull: false, kindsMax: 500 },
  'provider.unavailable': OUTAGE,
  'provider.key_refused': OUTAGE,
  'price.unusable': OUTAGE,
}

/** Of what is alike: the fields that all of it has, and how often it came without a line of its own. */
type Kind = { readonly fields: LogFields; count: number }

/** The key of the kinds that are not told apart. Every other key is JSON. */
const OTHERS = ''

// Why: docs/decisions.md#what-comes-by-the-thousand-is-counted
/**
 * The same log, in which events that come by the thousand are counted: those that differ in nothing but their request
 * and stack are one line with their `count`. `flush` writes at once what has been counted so far. While nothing is
 * counted, nothing waits.
 */
export function talliedLog(
  log: Log,
  { wait }: { wait: (milliseconds: number) => Promise<void> },
): { readonly log: Log; flush(): void } {
  const tallies = new Map<LogEvent, Map<string, Kind>>()

  function write(event: LogEvent): void {
    const kinds = tallies.get(event)
    tallies.delete(event)
    for (const { fields, count } of kinds?.values() ?? []) {
      if (count > 0) log(event, { ...fields, count })
    }
  }

  async function writeLater(event: LogEvent, { everyMs }: Rule): Promise<void> {
    const kinds = tallies.get(event)
    await wait(everyMs)
    if (tallies.get(event) === kinds) write(event)
  }

  function count(event: LogEvent, rule: Rule, fields: LogFields): void {
    const kinds = tallies.get(event) ?? new Map<string, Kind>()
    if (kinds.size === 0) {
      tallies.set(event, kinds)
      void writeLater(event, rule)
    }
    const common = withoutRequest(fields)
    const key = JSON.stringify(common)
    const known = kinds.get(key)
    if (known) {
      known.count++
    } else if (kinds.size < rule.kindsMax) {
      kinds.set(key, { fields: common, count: rule.firstInFull ? 0 : 1 })
      if (rule.firstInFull) log(event, fields)
    } else {
      const others = kinds.get(OTHERS) ?? { fields: {}, count: 0 }
      others.count++
      kinds.set(OTHERS, others)
    }
  }

  return {
    log(event, fields = {}) {
      const rule = RULES[event]
      if (rule) count(event, rule, fields)
      else log(event, fields)
    },
    flush() {
      for (const event of [...tallies.keys()]) write(event)
    },
  }
}

function withoutRequest(fields: LogFields): LogFields {
  if (!('request' in fields || 'stack' in fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => name !== 'request' && name !== 'stack'),
  )
}
