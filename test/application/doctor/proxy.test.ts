import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { judgeProxy, type ProxyFacts } from '../../../application/doctor/proxy.ts'

const LIMIT = 10
const draw = (remaining: number, isAccepted = true) => ({ isAccepted, limit: LIMIT, remaining })
const NOTHING_LEFT = draw(0, false)

/** How Alibi counts: one budget for each address that it takes a request to come from. */
function counting(used: Record<string, number> = {}) {
  return (address: string) => {
    const before = used[address] ?? 0
    if (before >= LIMIT) return NOTHING_LEFT
    used[address] = before + 1
    return draw(LIMIT - before - 1)
  }
}

/** Plays the five requests against a proxy that makes of a forged address the one that Alibi sees. */
function play(seenAs: (forged: string) => string, used: Record<string, number> = {}): ProxyFacts {
  const take = counting(used)
  const before = take('machine')
  const first = take(seenAs('forged-1'))
  const second = take(seenAs('forged-2'))
  const again = second.remaining >= first.remaining ? take(seenAs('forged-1')) : null
  const after = take('machine')
  return {
    direct: { before, after },
    forged: { first, second, again },
    isVisitorTrusted: false,
    isVisitorDirect: false,
    isLoopbackTrusted: true,
  }
}

const behindGoodProxy = () => 'visitor'
const behindUnknownProxy = () => 'machine'
const behindBelievingProxy = (forged: string) => forged

const levels = (facts: ProxyFacts | null) => judgeProxy(facts).map(({ level }) => level)

describe('a proxy', () => {
  test('that tells visitors apart, and believes nobody, is well', () => {
    expect(judgeProxy(play(behindGoodProxy))).toMatchObject([
      {
        level: 'ok',
        text: 'visitors are told apart, and a forged X-Forwarded-For is not believed',
      },
    ])
  })

  test('that Alibi takes for all of its visitors fails, and the setting is named', () => {
    const facts = { ...play(behindUnknownProxy), isLoopbackTrusted: false }
    const [finding] = judgeProxy(facts)
    expect(finding).toMatchObject({ level: 'failed', text: expect.stringContaining('one budget') })
    expect(finding?.advice).toContain('TRUSTED_PROXIES')
  })

  test('that says nothing of its visitors fails, and the header is named', () => {
    const [finding] = judgeProxy(play(behindUnknownProxy))
    expect(finding).toMatchObject({ level: 'failed' })
    expect(finding?.advice).toContain('X-Forwarded-For')
    expect(finding?.advice).not.toContain('TRUSTED_PROXIES')
  })

  test('that passes on what visitors make up fails', () => {
    const [finding] = judgeProxy(play(behindBelievingProxy))
    expect(finding).toMatchObject({ level: 'failed', text: expect.stringContaining('believed') })
    expect(finding?.advice).toContain('$remote_addr')
  })

  test('cannot be told from a machine that is itself trusted', () => {
    const facts = { ...play(behindBelievingProxy), isVisitorTrusted: true }
    expect(levels(facts)).toEqual(['skipped'])
  })

  test('cannot be told from a machine that comes to it as it comes to the service', () => {
    const budgets = [{}, { machine: LIMIT }]
    for (const used of budgets) {
      const facts = { ...play(behindUnknownProxy, used), isVisitorDirect: true }
      expect(levels(facts)).toEqual(['skipped'])
    }
    expect(levels({ ...play(behindBelievingProxy), isVisitorDirect: true })).toEqual(['failed'])
  })

  test('is known to believe nobody without a service on this machine', () => {
    expect(judgeProxy({ ...play(behindGoodProxy), direct: null })).toMatchObject([
      { level: 'ok', text: 'a forged X-Forwarded-For is not believed' },
    ])
    expect(levels({ ...play(behindBelievingProxy), direct: null })).toEqual(['failed'])
  })

  test('is told alike whatever this machine and the visitor have used before', () => {
    const left = fc.integer({ min: 0, max: LIMIT - 5 })
    fc.assert(
      fc.property(left, left, (machine, visitor) => {
        const used = () => ({ machine, visitor })
        expect(levels(play(behindGoodProxy, used()))).toEqual(['ok'])
        expect(levels(play(behindUnknownProxy, used()))).toEqual(['failed'])
        expect(levels(play(behindBelievingProxy, used()))).toEqual(['failed'])
      }),
    )
  })
})

describe('nothing can be told', () => {
  test('without limits', () => {
    const forged = { first: null, second: null, again: null }
    for (const direct of [null, { before: null, after: null }]) {
      const [finding] = judgeProxy({ ...play(behindGoodProxy), forged, direct })
      expect(finding).toMatchObject({ level: 'skipped' })
      expect(finding?.text).toContain('RATE_LIMIT_GENERAL')
    }
  })

  test('through a proxy that takes the header away, which is told from limits that are off', () => {
    const forged = { first: null, second: null, again: null }
    const [stripped] = judgeProxy({ ...play(behindGoodProxy), forged })
    expect(stripped).toMatchObject({ level: 'skipped' })
    expect(stripped?.text).toContain('does not come through it')
    expect(stripped?.text).not.toContain('RATE_LIMIT_GENERAL')
  })

  test('where nobody answers', () => {
    expect(levels(null)).toEqual(['skipped'])
  })

  test.each([8, 9, 10])('where the visitor has used %d of 10', (visitor) => {
    const found = levels(play(behindGoodProxy, { visitor }))
    expect(found).toEqual([visitor === 8 ? 'ok' : 'skipped'])
  })

  test('where requests come by several ways', () => {
    const edges = ['edge-1', 'edge-2', 'edge-3'].values()
    expect(levels(play(() => edges.next().value ?? ''))).toEqual(['skipped'])
  })

  test('where a place has become free in between', () => {
    const forged = { first: draw(5), second: draw(5), again: draw(4) }
    expect(levels({ ...play(behindGoodProxy), forged })).toEqual(['skipped'])
  })

  test('where others ask on this machine at the same time', () => {
    const facts = play(behindGoodProxy)
    expect(levels({ ...facts, direct: { before: draw(9), after: draw(6) } })).toEqual(['skipped'])
  })
})

test('budgets that are used up together are a warning', () => {
  expect(levels(play(behindUnknownProxy, { machine: LIMIT }))).toEqual(['warning'])
})
