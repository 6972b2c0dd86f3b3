import { describe, expect, test } from 'bun:test'
import { checkClock } from '../../../infrastructure/doctor/clock.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'
import { linesOf } from '../../support/findings.ts'
import { serve, serveSilence } from '../../support/http/probed-servers.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'

const TIMEOUT_MS = 150

describe('the check of the clock', () => {
  const dated = (date: string) => serve(() => new Response('', { status: 404, headers: { date } }))
  async function found(url: string | null, { timeoutMs = PATIENCE_MS, isRight = true as Right }) {
    const askSystem = async () => isRight
    return linesOf(await checkClock(url, { clock: fixedClock(), timeoutMs, askSystem })).join()
  }
  type Right = boolean | null

  test.each([
    [0, /^ok clock: right, as 127\.0\.0\.1:\d+ tells the time$/],
    [-1_000, /^ok clock: right/],
    [-30_000, /^ok clock: 30 s ahead of 127/],
    [31_000, /^warning clock: 31 s behind 127/],
    [60_000, /^warning clock: 60 s behind/],
    [61_000, /^failed clock: 61 s behind 127.+: payment pages look too short/],
    [-120_000, /^failed clock: 2 min ahead of 127.+: notifications look old/],
    [-86_400_000, /^failed clock: 24 h ahead of/],
  ])('compares it with the Date of whatever answer comes: %d ms there', async (aheadMs, line) => {
    const there = new Date(NOON.getTime() + aheadMs).toUTCString()
    expect(await found(dated(there), {})).toMatch(line)
  })

  test('compares it with whoever is asked, and not with whom that one points to', async () => {
    const location = dated(new Date(NOON.getTime() + 90_000).toUTCString())
    const headers = { date: NOON.toUTCString(), location }
    const url = serve(() => new Response('', { status: 302, headers }))
    expect(await found(url, {})).toStartWith('ok clock: right')
  })

  test.each([
    [true, /^ok clock: synchronised, as the system says \(not compared: /],
    [false, /^warning clock: not synchronised, as the system says/],
    [null, /^skipped clock: not compared: /],
  ])('says what the system says where nobody tells the time: %p', async (isRight, line) => {
    expect(await found(null, { isRight })).toMatch(line)
    expect(await found(dated('soon'), { isRight })).toMatch(line)
    const { url, isAsked } = serveSilence()
    const silence = () => found(url, { isRight, timeoutMs: TIMEOUT_MS })
    expect(await whenLate(TIMEOUT_MS, silence, isAsked)).toMatch(line)
  })
})
