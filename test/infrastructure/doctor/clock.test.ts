import { describe, expect, test } from 'bun:test'
import { probeClock } from '../../../infrastructure/doctor/clock.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'
import { serve, serveSilence } from '../../support/http/probed-servers.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'

const TIMEOUT_MS = 150

describe('the clock', () => {
  const dated = (date: string) => serve(() => new Response('', { status: 404, headers: { date } }))
  const options = { clock: fixedClock(), timeoutMs: PATIENCE_MS, askSystem: async () => true }

  test('is compared with the Date of whatever answer comes', async () => {
    const there = new Date(NOON.getTime() + 90_000).toUTCString()
    expect(await probeClock(dated(there), options)).toMatchObject({
      kind: 'compared',
      aheadMs: -90_000,
    })
  })

  test('is compared with whoever is asked, and not with whom that one points to', async () => {
    const elsewhere = dated(new Date(NOON.getTime() + 90_000).toUTCString())
    const date = NOON.toUTCString()
    const url = serve(
      () => new Response('', { status: 302, headers: { date, location: elsewhere } }),
    )
    expect(await probeClock(url, options)).toMatchObject({
      aheadMs: 0,
      host: new URL(url).host,
    })
  })

  test('is as the system says where nobody can be asked, or nobody tells', async () => {
    expect(await probeClock(null, options)).toMatchObject({
      kind: 'system',
      isSynchronized: true,
    })
    expect(await probeClock(dated('soon'), options)).toMatchObject({ isSynchronized: true })
  })

  test('is as the system says where the one that is asked keeps silent', async () => {
    const options = { clock: fixedClock(), timeoutMs: TIMEOUT_MS, askSystem: async () => null }
    const { url, isAsked } = serveSilence()
    expect(await whenLate(TIMEOUT_MS, () => probeClock(url, options), isAsked)).toMatchObject({
      kind: 'system',
      isSynchronized: null,
      reason: expect.stringContaining('does not answer'),
    })
  })
})
