import { codeOf } from '../files/node-errors.ts'

/**
 * Takes as many of the bytes as it has room for at this moment, and returns how many. Throws where it cannot take them,
 * room or not.
 */
export type Sink = (bytes: Uint8Array) => number

/** Waiting, as far as a line writer needs it. */
export type Pauses = {
  /** Acts when all that this turn of the event loop brought has been seen to. */
  atEndOfTurn(act: () => void): void
  /** Does not keep the process alive. */
  after(milliseconds: number, act: () => void): void
  /** Holds up the whole process. */
  block(milliseconds: number): void
}

export type LineWriter = {
  /** Takes text that ends with a line break. Neither waits nor throws. */
  write(text: string): void
  /** Hands over at once, and not at the end of the turn, what the sink has room for. */
  flush(): void
  /** For the end of the process: hands over everything. Waits for a slow reader for two seconds at most. */
  end(): void
}

/** Some 40,000 lines. What the sink is taking comes on top, and is never more either. */
const WAITING_MAX = 8 * 1024 * 1024
const RETRY_MIN_MS = 1
const RETRY_MAX_MS = 100
const END_MAX_MS = 2000
const END_RETRY_MS = 5
const LINE_BREAK = '\n'

// Why: docs/decisions.md#the-log-is-written-once-a-turn
/**
 * Gathers lines and hands them to the sink once a turn of the event loop, in their order. Where the sink has no room,
 * they wait, up to a bound. Lines past the bound are lost, and those that the sink cannot take. The first line that
 * finds room after them asks `onLost` to write, in their place, how many were lost and why.
 */
export function lineWriter(
  sink: Sink,
  { onLost, pauses }: { onLost: (lost: { lines: number; reason: string }) => void; pauses: Pauses },
): LineWriter {
  /** Joined only once: to make text of megabytes that was added up line by line takes ten times as long. */
  let waiting: string[] = []
  let waitingLength = 0
  /** What is left of the text that the sink is taking. */
  let leaving: Uint8Array = new Uint8Array()
  let isScheduled = false
  /** How long the sink is left alone before it is tried again; 0 while it has room. */
  let retryMs = 0
  let isFailing = false
  /** Whether the sink took the beginning of a line and then failed. */
  let isTorn = false
  /** Whether lines are lost until the sink takes some. */
  let isFull = false
  let lost = { lines: 0, reason: '' }

  const isEmpty = () => waiting.length === 0 && leaving.length === 0

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    if (retryMs === 0) pauses.atEndOfTurn(handOver)
    else pauses.after(retryMs, handOver)
  }

  function handOver(): void {
    isScheduled = false
    if (isEmpty()) return
    if (leaving.length === 0) {
      if (isTorn) waiting.unshift(LINE_BREAK)
      leaving = Buffer.from(waiting.join(''))
      waiting = []
      waitingLength = 0
      isFull = false
    }
    send()
    if (!isEmpty()) schedule()
  }

  function send(): void {
    try {
      while (leaving.length > 0) {
        const taken = sink(leaving)
        if (taken === 0) {
          retryMs = Math.min(Math.max(RETRY_MIN_MS, 2 * retryMs), RETRY_MAX_MS)
          return
        }
        isTorn = leaving[taken - 1] !== LINE_BREAK.charCodeAt(0)
        isFailing = false
        retryMs = 0
        leaving = leaving.subarray(taken)
      }
    } catch (error) {
      isFailing = true
      retryMs = 0
      lose(linesIn(new TextDecoder().decode(leaving)), codeOf(error) ?? 'unknown')
      leaving = leaving.subarray(leaving.length)
    }
  }

  function lose(lines: number, reason: string): void {
    lost = { lines: lost.lines + lines, reason }
  }

  function reportLost(): void {
    if (lost.lines === 0 || isFailing) return
    const report = lost
    lost = { lines: 0, reason: '' }
    onLost(report)
  }

  return {
    write(text) {
      // A line that alone is past the bound does not wait behind others, and so is taken: nothing would end `isFull`.
      isFull ||= waiting.length > 0 && waitingLength + text.length > WAITING_MAX
      if (isFull) return lose(linesIn(text), 'not read in time')
      reportLost()
      waiting.push(text)
      waitingLength += text.length
      schedule()
    },
    flush() {
      if (retryMs === 0) handOver()
    },
    end() {
      let leftMs = END_MAX_MS
      function drain() {
        while (!isEmpty() && leftMs > 0) {
          handOver()
          if (retryMs === 0) continue
          pauses.block(END_RETRY_MS)
          leftMs -= END_RETRY_MS
        }
      }
      drain()
      if (!isEmpty()) return
      reportLost()
      drain()
    },
  }
}

function linesIn(text: string): number {
  return text.split(LINE_BREAK).filter((line) => line !== '').length
}
