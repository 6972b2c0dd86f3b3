import { describe, expect, test } from 'bun:test'
import { pruneExpired } from '../../../application/upkeep/prune-expired.ts'
import { DAY_MS } from '../../../domain/duration.ts'
import { PRUNED_KINDS, type PrunedKind, pruneUpTo } from '../../../domain/retention.ts'
import { fakePorts } from '../../support/fakes.ts'

const RUNNING = new AbortController().signal
const TOKEN_LIFETIME_MS = 400 * DAY_MS

/** A database with so many things of each kind that are of no use any more. */
function openFull(left: Partial<Record<PrunedKind, number>>) {
  const calls: { kind: PrunedKind; upTo: Date; limit: number }[] = []
  const ports = fakePorts({
    retention: {
      async prune(kind, { upTo, limit }) {
        calls.push({ kind, upTo, limit })
        const pruned = Math.min(left[kind] ?? 0, limit)
        left[kind] = (left[kind] ?? 0) - pruned
        return pruned
      },
    },
  })
  ports.rules = { ...ports.rules, tokenLifetimeMs: TOKEN_LIFETIME_MS }
  let pauses = 0
  const prune = ({
    stopping = RUNNING,
    onPause = () => {},
  }: {
    stopping?: AbortSignal
    onPause?: () => void
  } = {}) =>
    pruneExpired(ports, {
      stopping,
      async pause() {
        pauses++
        onPause()
      },
    })
  return { ports, calls, left, prune, pauses: () => pauses }
}

describe('pruning', () => {
  test('asks for every kind, up to the moment since which it is of no use', async () => {
    const { ports, calls, prune } = openFull({})
    expect(await prune()).toEqual({})
    const terms = { tokenLifetimeMs: TOKEN_LIFETIME_MS, mailWindowMs: 0, now: ports.clock.now() }
    expect(calls.map(({ kind, upTo }) => [kind, upTo])).toEqual(
      PRUNED_KINDS.map((kind) => [kind, pruneUpTo(kind, terms)]),
    )
    expect(ports.log.lines).toEqual([])
  })

  test('goes in small steps until nothing is left, pauses after each, and says how much it was', async () => {
    const { ports, calls, left, prune, pauses } = openFull({
      codes: 1234,
      messages: 400,
      audit_entries: 1,
    })
    expect(await prune()).toEqual({ codes: 1234, messages: 400, audit_entries: 1 })
    expect(Object.values(left).every((count) => count === 0)).toBe(true)
    expect(Math.max(...calls.map(({ limit }) => limit))).toBeLessThanOrEqual(200)
    expect(pauses()).toBe(calls.length)
    expect(ports.log.lines).toEqual([
      {
        level: 'info',
        event: 'retention.pruned',
        fields: { codes: 1234, messages: 400, audit_entries: 1 },
      },
    ])
  })

  test('stops after the step under way when the service does, and goes on at the next run', async () => {
    const { left, prune } = openFull({ codes: 2000 })
    const stop = new AbortController()
    expect(await prune({ stopping: stop.signal, onPause: () => stop.abort() })).toEqual({
      codes: 200,
    })
    expect(left.codes).toBe(1800)
    expect(await prune({ stopping: stop.signal })).toEqual({})
    expect(await prune()).toEqual({ codes: 1800 })
  })
})
