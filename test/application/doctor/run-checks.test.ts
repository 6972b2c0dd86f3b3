import { describe, expect, test } from 'bun:test'
import { findingsOn } from '../../../application/doctor/finding.ts'
import { type Check, runChecks } from '../../../application/doctor/run-checks.ts'

/** A wait that ends when the test says so. */
function openWait() {
  const waits: (() => void)[] = []
  return {
    end: () => waits.splice(0).forEach((resolve) => void resolve()),
    wait: () => new Promise<void>((resolve) => waits.push(resolve)),
  }
}

function check(name: string, own: Partial<Check> = {}): Check {
  const run = async () => [findingsOn(name).ok('fine')]
  return { names: [name], needsNetwork: false, run, ...own }
}

const quietly = { offline: false, progress() {} }

describe('a diagnosis', () => {
  test('tells the findings in the order of the checks, whichever ends first', async () => {
    const findings = await runChecks(
      [
        check('settings'),
        check('stripe', { needsNetwork: true }),
        check('database'),
        check('mail', { needsNetwork: true }),
      ],
      { ...quietly, wait: openWait().wait },
    )
    expect(findings.map(({ name }) => name)).toEqual(['settings', 'stripe', 'database', 'mail'])
  })

  test('asks all providers at the same time, and checks this machine after their answers', async () => {
    const begun: string[] = []
    const answer = Promise.withResolvers<void>()
    function noting(name: string, needsNetwork: boolean): Check {
      return check(name, {
        needsNetwork,
        async run() {
          begun.push(name)
          if (needsNetwork) await answer.promise
          return []
        },
      })
    }
    const checks = [noting('database', false), noting('stripe', true), noting('mail', true)]
    const diagnosis = runChecks(checks, { ...quietly, wait: openWait().wait })
    await Bun.sleep(0)
    expect(begun).toEqual(['stripe', 'mail'])
    answer.resolve()
    await diagnosis
    expect(begun).toEqual(['stripe', 'mail', 'database'])
  })

  test('leaves no wait behind', async () => {
    const waits: AbortSignal[] = []
    const wait = (_: number, until: AbortSignal) => {
      waits.push(until)
      return openWait().wait()
    }
    await runChecks([check('stripe', { needsNetwork: true }), check('disk')], {
      ...quietly,
      wait,
    })
    expect(waits.map(({ aborted }) => aborted)).toEqual([true])
  })

  test('asks no other machine when offline, and names what stays unknown', async () => {
    let asked = 0
    const remote = check('stripe', {
      names: ['stripe', 'price'],
      needsNetwork: true,
      async run() {
        asked++
        return []
      },
    })
    const options = { ...quietly, offline: true, wait: openWait().wait }
    const findings = await runChecks([remote, check('database')], options)
    expect(asked).toBe(0)
    expect(findings.map(({ name, level }) => [name, level])).toEqual([
      ['stripe', 'skipped'],
      ['price', 'skipped'],
      ['database', 'ok'],
    ])
  })

  test('goes on without a check that throws, and does not repeat what that says', async () => {
    const broken = check('mail', {
      async run() {
        throw new TypeError('re_secret')
      },
    })
    const findings = await runChecks([broken, check('database')], {
      ...quietly,
      wait: openWait().wait,
    })
    expect(findings.map(({ name, level }) => [name, level])).toEqual([
      ['mail', 'failed'],
      ['database', 'ok'],
    ])
    expect(JSON.stringify(findings)).toContain('TypeError')
    expect(JSON.stringify(findings)).not.toContain('re_secret')
  })

  test('gives up on a check that does not end', async () => {
    const { wait, end } = openWait()
    const hanging = check('stripe', {
      names: ['stripe', 'price'],
      needsNetwork: true,
      run: () => new Promise(() => {}),
    })
    const diagnosis = runChecks([hanging, check('database')], { ...quietly, wait })
    await Bun.sleep(0)
    end()
    expect((await diagnosis).map(({ name, level, text }) => [name, level, text])).toEqual([
      ['stripe', 'failed', 'could not be checked within 15 s'],
      ['price', 'failed', 'could not be checked within 15 s'],
      ['database', 'ok', 'fine'],
    ])
  })

  test('waits for the disk as long as it takes', async () => {
    const { wait, end } = openWait()
    const read = Promise.withResolvers<void>()
    const slow = check('database', {
      async run() {
        await read.promise
        return [findingsOn('database').ok('whole')]
      },
    })
    const diagnosis = runChecks([slow], { ...quietly, wait })
    await Bun.sleep(0)
    end()
    await Bun.sleep(0)
    read.resolve()
    expect((await diagnosis).map(({ text }) => text)).toEqual(['whole'])
  })

  test('tells what it is looking at, and in the end nothing', async () => {
    const told: (string | null)[] = []
    const progress = (line: string | null) => void told.push(line)
    const checks = [check('stripe', { needsNetwork: true }), check('database')]
    await runChecks(checks, { offline: false, progress, wait: openWait().wait })
    expect(told).toEqual(['looking at stripe …', null, 'looking at database …', null])
  })
})
