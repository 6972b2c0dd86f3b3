import { Unavailable } from '../../application/unavailable.ts'
import type { Term } from '../../application/upkeep/leadership.ts'
import { LEASE_MS, type Lease, leaseLeadership } from '../../application/upkeep/lease-leadership.ts'
import { fakePorts } from './fakes.ts'

/** A database with the lease, whose clock the test moves. */
export type LeaseDatabase = {
  lease(holder: string): Lease
  pass(milliseconds: number): Promise<void>
}

/** So long a statement is waited for that never comes back. */
const STATEMENT_MAX_MS = 5000
/** The work of a leader takes a step this often, and so does time. */
const STEP_MS = 1000

export type MovedReplica = ReturnType<typeof movedReplica>

/** Replicas on one database. Time passes for all of them at once, in steps of a second, and only as the test says. */
export function movedReplicas(database: LeaseDatabase) {
  const replicas: MovedReplica[] = []

  async function pass(milliseconds: number): Promise<void> {
    for (let leftMs = milliseconds; leftMs > 0; leftMs -= STEP_MS) {
      const stepMs = Math.min(STEP_MS, leftMs)
      await database.pass(stepMs)
      for (const replica of replicas) replica.move(stepMs)
      await settle()
      const leading = leaders()
      if (leading.length > 1) throw new Error(`${leading.length} replicas lead at a time`)
    }
  }

  /** Until nothing is under way at the database, and nothing that comes of it. */
  async function settle(): Promise<void> {
    for (let idleTurns = 0; idleTurns < 5; ) {
      await Bun.sleep(0)
      idleTurns = replicas.some((replica) => replica.isAsking()) ? 0 : idleTurns + 1
    }
  }

  function leaders(): readonly MovedReplica[] {
    return replicas.filter((replica) => replica.isLeading())
  }

  return {
    pass,
    settle,
    leaders,
    start(holder: string = crypto.randomUUID()): MovedReplica {
      const replica = movedReplica(database.lease(holder))
      replicas.push(replica)
      return replica
    },
  }
}

function movedReplica({ take, giveBack }: Lease) {
  const ports = fakePorts()
  const stop = new AbortController()
  const timers = movedWaits()
  let asked = 0
  let isCutOff = false
  let steps = 0
  let hasEnded = false

  async function reach<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (isCutOff) {
      await timers.wait(STATEMENT_MAX_MS)
      throw new Unavailable('storage', { cause: new Error('timed out') })
    }
    asked++
    try {
      return await ask()
    } finally {
      asked--
    }
  }

  async function work(term: Term): Promise<void> {
    while (!term.aborted) {
      steps++
      await timers.wait(STEP_MS, term.signal)
    }
  }

  const lease = { take: () => reach(take), giveBack: () => reach(giveBack) }
  const leadership = leaseLeadership(ports, { lease, ...timers })
  void leadership.lead(work, stop.signal).then(() => {
    hasEnded = true
  })
  return {
    /** A frozen process would learn from the question what it cannot know. */
    isLeading: () => !timers.isFrozen() && leadership.isLeading(),
    /** How many steps of the leader's work it has done. */
    steps: () => steps,
    lines: () => ports.log.lines,
    /** What it has said about its leadership. */
    told: () =>
      ports.log.lines
        .map(({ event }) => event)
        .filter((event) => event === 'leadership.taken' || event === 'leadership.lost'),
    isAsking: () => asked > 0,
    hasEnded: () => hasEnded,
    move: timers.move,
    /** Nothing of it goes on, and its clock does, as with SIGSTOP. */
    freeze: timers.freeze,
    thaw: timers.thaw,
    /** Statements come back no more, and fail in the end. */
    cutOff() {
      isCutOff = true
    },
    reconnect() {
      isCutOff = false
    },
    stop: () => stop.abort(),
  }
}

/** Waits that end when the test moves the time, or has a frozen process go on. */
function movedWaits() {
  const sleeping = new Set<{ dueAtMs: number; wake: () => void }>()
  let nowMs = 0
  let isFrozen = false

  /** What was to come last is woken first: the worse order for a process that was frozen. */
  function wakeDue(): void {
    if (isFrozen) return
    const due = [...sleeping].filter(({ dueAtMs }) => dueAtMs <= nowMs)
    for (const { wake } of due.toSorted((one, other) => other.dueAtMs - one.dueAtMs)) wake()
  }

  return {
    monotonicMs: () => nowMs,
    wait(milliseconds: number, until?: AbortSignal): Promise<void> {
      if (until?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper = {
          dueAtMs: nowMs + milliseconds,
          wake() {
            sleeping.delete(sleeper)
            resolve()
          },
        }
        sleeping.add(sleeper)
        until?.addEventListener('abort', sleeper.wake)
      })
    },
    move(milliseconds: number) {
      nowMs += milliseconds
      wakeDue()
    },
    isFrozen: () => isFrozen,
    freeze() {
      isFrozen = true
    },
    thaw() {
      isFrozen = false
      wakeDue()
    },
  }
}

/** The lease as a database keeps it, in memory. */
export function memoryLeases(): LeaseDatabase {
  let nowMs = 0
  let row: { holder: string; expiresAtMs: number } | null = null
  return {
    lease: (holder) => ({
      async take() {
        if (row && row.holder !== holder && row.expiresAtMs > nowMs) return false
        row = { holder, expiresAtMs: nowMs + LEASE_MS }
        return true
      },
      async giveBack() {
        if (row?.holder === holder) row = null
      },
    }),
    async pass(milliseconds) {
      nowMs += milliseconds
    },
  }
}
