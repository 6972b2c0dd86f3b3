import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkProxy, type ProxyFacts } from '../../../application/doctor/proxy.ts'

const LIMIT = 10

/** How Alibi counts: one budget for each address that it takes a request to come from. */
function counting(used: Record<string, number>, limit: number) {
  return (address: string) => {
    const before = used[address] ?? 0
    if (before >= limit) return { isAccepted: false, limit, remaining: 0 }
    used[address] = before + 1
    return { isAccepted: true, limit, remaining: limit - before - 1 }
  }
}

/** Plays the requests against a proxy that makes of a forged address the one that Alibi sees. */
function play(
  seenAs: (forged: string) => string,
  used: Record<string, number> = {},
  limit = LIMIT,
): ProxyFacts {
  const take = counting({ ...used }, limit)
  const first = take(seenAs('forged-1'))
  const second = take(seenAs('forged-2'))
  const again = second.remaining >= first.remaining ? take(seenAs('forged-1')) : null
  return { first, second, again, isVisitorTrusted: false }
}

const behindGoodProxy = () => 'visitor'
const behindBelievingProxy = (forged: string) => forged

const levels = (facts: ProxyFacts | null) => checkProxy(facts).map(({ level }) => level)

describe('a proxy', () => {
  test('that believes no visitor is well', () => {
    expect(checkProxy(play(behindGoodProxy))).toMatchObject([
      { level: 'ok', text: 'a forged X-Forwarded-For is not believed' },
    ])
  })

  test('that passes on what visitors make up fails', () => {
    const [finding] = checkProxy(play(behindBelievingProxy))
    expect(finding).toMatchObject({ level: 'failed', text: expect.stringContaining('believed') })
    expect(finding?.advice).toContain('$remote_addr')
  })

  test('cannot be distinguished from a machine that is itself trusted', () => {
    const facts = { ...play(behindBelievingProxy), isVisitorTrusted: true }
    expect(levels(facts)).toEqual(['skipped'])
  })

  test('is told alike whatever the limit is and the visitor has used before', () => {
    const limits = fc.integer({ min: 1, max: LIMIT })
    fc.assert(
      fc.property(limits, fc.integer({ min: 0, max: LIMIT }), (limit, visitor) => {
        expect(levels(play(behindGoodProxy, { visitor }, limit))).toEqual(['ok'])
        expect(levels(play(behindBelievingProxy, { visitor }, limit))).toEqual(['failed'])
      }),
    )
  })

  test.each([0, 3])(
    'that is one of several, of which each has sent %d, believes none',
    (before) => {
      const edges = ['edge-1', 'edge-2', 'edge-3']
      const used = Object.fromEntries(edges.map((edge) => [edge, before]))
      const next = edges.values()
      expect(levels(play(() => next.next().value ?? '', used))).toEqual(['ok'])
    },
  )

  test('believes none where a place has become free in between', () => {
    const draw = (remaining: number) => ({ isAccepted: true, limit: LIMIT, remaining })
    const facts = { first: draw(5), second: draw(5), again: draw(4), isVisitorTrusted: false }
    expect(levels(facts)).toEqual(['ok'])
  })
})

describe('nothing can be told', () => {
  test('without a RateLimit', () => {
    const facts = { first: null, second: null, again: null, isVisitorTrusted: false }
    const [finding] = checkProxy(facts)
    expect(finding).toMatchObject({ level: 'skipped' })
    expect(finding?.text).toContain('RATE_LIMIT_GENERAL')
  })

  test('where no service answers', () => {
    expect(levels(null)).toEqual(['skipped'])
  })
})
