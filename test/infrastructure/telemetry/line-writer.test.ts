import { describe, expect, test } from 'bun:test'
import { lineWriter, type Pauses } from '../../../infrastructure/telemetry/line-writer.ts'

/** Turns and times that pass when the test says so. */
function movedPauses() {
  let due: { act: () => void; ms: number }[] = []
  let heldUpMs = 0
  let onBlock = () => {}
  const pauses: Pauses = {
    atEndOfTurn: (act) => void due.push({ act, ms: 0 }),
    after: (ms, act) => void due.push({ act, ms }),
    block(ms) {
      heldUpMs += ms
      onBlock()
    },
  }
  return {
    pauses,
    /** Ends the turn, and lets the time pass until what it has begun to wait for is due. Returns for how long. */
    pass(): number {
      const now = due
      due = []
      for (const { act } of now) act()
      return Math.max(0, ...now.map(({ ms }) => ms))
    },
    heldUpMs: () => heldUpMs,
    /** Happens whenever the process is held up. */
    meanwhile(act: () => void) {
      onBlock = act
    },
  }
}

/** A pipe that takes so many bytes until it is read, or fails. */
function openPipe({ room = Number.POSITIVE_INFINITY } = {}) {
  const writes: Buffer[] = []
  const pipe = {
    room,
    failure: null as Error | null,
    /** How often it was tried. */
    tries: 0,
    writes: () => writes.map(String),
    text: () => String(Buffer.concat(writes)),
    sink(bytes: Uint8Array): number {
      pipe.tries++
      const taken = Buffer.from(bytes.subarray(0, pipe.room))
      if (taken.length === 0 && pipe.failure) throw pipe.failure
      pipe.room -= taken.length
      if (taken.length > 0) writes.push(taken)
      return taken.length
    },
  }
  return pipe
}

function open(options: { room?: number } = {}) {
  const pipe = openPipe(options)
  const time = movedPauses()
  const writer = lineWriter(pipe.sink, {
    pauses: time.pauses,
    onLost: ({ lines, reason }) => writer.write(`lost ${lines}: ${reason}\n`),
  })
  return { pipe, writer, ...time }
}

const failure = (code: string) => Object.assign(new Error(code), { code })
const MEBIBYTE = `${'x'.repeat(1024 * 1024 - 1)}\n`

describe('lines', () => {
  test('of one turn are one write, in their order', () => {
    const { pipe, writer, pass } = open()
    for (const line of ['one\n', 'two\n', 'ü three\n']) writer.write(line)
    expect(pipe.writes()).toEqual([])
    pass()
    writer.write('four\n')
    pass()
    pass()
    expect(pipe.writes()).toEqual(['one\ntwo\nü three\n', 'four\n'])
  })

  test('are written at once where that is asked for, and those before them, too', () => {
    const { pipe, writer, pass } = open()
    writer.write('one\n')
    writer.write('two\n')
    writer.flush()
    writer.flush()
    expect(pipe.writes()).toEqual(['one\ntwo\n'])
    writer.write('three\n')
    pass()
    expect(pipe.writes()).toEqual(['one\ntwo\n', 'three\n'])
  })
})

describe('a sink without room', () => {
  test('gets the rest of a line first, when it has room again', () => {
    const { pipe, writer, pass } = open({ room: 6 })
    writer.write('first\n')
    writer.write('ü second\n')
    pass()
    writer.write('third\n')
    expect(pipe.text()).toBe('first\n')
    for (let rounds = 0; rounds < 20; rounds++) {
      pipe.room = 1
      pass()
    }
    expect(pipe.text()).toBe('first\nü second\nthird\n')
  })

  test('is tried again less and less often, ten times a second at last, and at once after it took something', () => {
    const { pipe, writer, pass } = open({ room: 0 })
    writer.write('one\n')
    const waits = Array.from({ length: 10 }, pass)
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 100, 100])
    pipe.room = 1
    expect(pass()).toBe(100)
    pipe.room = 100
    expect(pass()).toBe(1)
    writer.write('two\n')
    expect(pass()).toBe(0)
    expect(pipe.text()).toBe('one\ntwo\n')
  })

  test('is not asked for every line and every error meanwhile', () => {
    const { pipe, writer } = open({ room: 0 })
    for (let count = 0; count < 100; count++) {
      writer.write('line\n')
      writer.flush()
    }
    expect(pipe.tries).toBe(1)
  })

  test('lets some megabytes wait; further lines are lost, and a line in their place says how many', () => {
    const { pipe, writer, pass } = open({ room: 0 })
    writer.write('first\n')
    pass()
    for (let count = 0; count < 8; count++) writer.write(MEBIBYTE)
    for (let count = 0; count < 1000; count++) writer.write('lost\n')
    writer.write('two lines\nof a mail\n')
    pipe.room = Number.POSITIVE_INFINITY
    pass()
    writer.write('too early\n')
    pass()
    writer.write('next\n')
    pass()
    expect(pipe.text().replaceAll(MEBIBYTE, 'M')).toBe(
      'first\nMMMMMMMMlost 1003: not read in time\nnext\n',
    )
  })

  test('gets a line that alone is past the bound, and what comes after it', () => {
    const { pipe, writer, pass } = open()
    writer.write(MEBIBYTE.repeat(9))
    pass()
    writer.write('next\n')
    pass()
    expect(pipe.text().replaceAll(MEBIBYTE, 'M')).toBe('MMMMMMMMMnext\n')
  })

  test('is waited for at the end, and gets every line', () => {
    const { pipe, writer, pass, heldUpMs, meanwhile } = open({ room: 0 })
    writer.write('one\n')
    pass()
    writer.write('two\n')
    meanwhile(() => {
      pipe.room = 1
    })
    writer.end()
    expect(pipe.text()).toBe('one\ntwo\n')
    expect(heldUpMs()).toBeLessThan(100)
  })

  test('is waited for at the end for two seconds and no longer', () => {
    const { pipe, writer, heldUpMs } = open({ room: 0 })
    writer.write('one\n')
    writer.end()
    expect([pipe.text(), heldUpMs()]).toEqual(['', 2000])
  })

  test('hears at the end what was lost', () => {
    const { pipe, writer, pass, meanwhile } = open({ room: 0 })
    writer.write('first\n')
    pass()
    for (let count = 0; count < 9; count++) writer.write(MEBIBYTE)
    meanwhile(() => {
      pipe.room = Number.POSITIVE_INFINITY
    })
    writer.end()
    expect(pipe.text().replaceAll(MEBIBYTE, 'M')).toBe('first\nMMMMMMMMlost 1: not read in time\n')
  })
})

describe('a sink that fails', () => {
  test('loses the lines of that turn and no others, and the next line begins a line', () => {
    const { pipe, writer, pass } = open({ room: 6 })
    pipe.failure = failure('ENOSPC')
    writer.write('one\n')
    writer.write('two\n')
    pass()
    writer.write('three\n')
    pass()
    expect(pipe.text()).toBe('one\ntw')
    Object.assign(pipe, { failure: null, room: Number.POSITIVE_INFINITY })
    writer.write('four\n')
    pass()
    writer.write('five\n')
    pass()
    expect(pipe.text()).toBe('one\ntw\nfour\nlost 2: ENOSPC\nfive\n')
  })

  test('for good, such as a pipe whose reader has gone, keeps nothing waiting', () => {
    const { pipe, writer, pass, heldUpMs } = open({ room: 0 })
    pipe.failure = failure('EPIPE')
    for (let count = 0; count < 100; count++) {
      writer.write('line\n')
      expect(pass()).toBe(0)
    }
    expect(pass()).toBe(0)
    writer.end()
    expect([pipe.text(), heldUpMs()]).toEqual(['', 0])
  })
})
