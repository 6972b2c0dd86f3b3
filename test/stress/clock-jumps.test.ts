import { expect, test } from 'bun:test'
import { buyer, openProduction, type Production } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import { fakeClock } from '../support/stress/fake-clock.ts'
import { printFigures } from '../support/stress/figures.ts'
import { loggedErrors, readyStatus } from '../support/stress/shop.ts'

// The machine's clock is set while the service runs: three days forwards, then to two hours before it began. What has
// been used is over whatever the clock says; what has not, ends by the clock, and is printed where that went back.

/** For a stranger, who has no token. */
const LIMIT = 5

/** Resolves once the buyer of a payment that Alibi was not told of has it confirmed: page, grant, outbox, mail. */
async function expectConfirmation(
  production: Production,
  url: string,
  { email, sessionId }: { email: string; sessionId: string },
): Promise<void> {
  production.double.pay(sessionId)
  const page = await client(url).get(`/payment/success?session_id=${sessionId}`)
  expect(page.status).toBe(200)
  expect(page.text).toContain('data-state="active"')
  await until(`${email} has its confirmation`, () =>
    production.mailbox.delivered.some(
      ({ to, key }) => to === email && key?.startsWith('payment_confirmed:'),
    ),
  )
}

test('whichever way the clock jumps, what is used stays used, what has ended is refused, and the service goes on', async () => {
  await using production = await openProduction()
  const clock = fakeClock(production.folder)
  if (!clock) {
    process.stdout.write('not tested here: a clock that jumps (libfaketime is not to be had)\n')
    return
  }
  const alibi = await production.start({
    env: {
      ...production.settings,
      ...clock.env,
      TOKEN_TTL: '2d',
      RATE_LIMIT_PREMIUM: `${LIMIT}/1h`,
    },
  })
  const http = client(alibi.url)
  const one = (name: string) => buyer(alibi, production, `${name}@example.com`)
  const confirm = async (name: string, code: string) => (await one(name).confirm(code)).status
  const checkOut = async (name: string) =>
    (await http.post('/checkout', { email: `${name}@example.com` })).status
  const sessionOf = async (name: string) => {
    await one(name).prove()
    return { email: `${name}@example.com`, ...(await one(name).checkOut()) }
  }

  const { token } = await one('reader').buy()
  const [forwards, backwards] = [await sessionOf('forwards'), await sessionOf('backwards')]
  const unused = await one('unused').mailCode()
  const used = await one('used').mailCode()
  expect(await confirm('used', used)).toBe(200)
  for (let asked = 0; asked < LIMIT; asked++) {
    expect((await http.get('/i18n')).status).toBe(401)
  }
  expect((await http.get('/i18n')).status).toBe(429)

  clock.set('+3d')
  expect(await readyStatus(alibi)).toBe(200)
  expect(await confirm('unused', unused)).toBe(401)
  expect(await confirm('used', used)).toBe(401)
  expect(await checkOut('used')).toBe(403)
  expect((await http.post('/auth/logout', undefined, token)).status).toBe(401)
  expect((await http.get('/i18n')).status).toBe(429)
  await expectConfirmation(production, alibi.url, forwards)
  const late = await one('forwards').mailCode()
  expect(await confirm('forwards', late)).toBe(200)

  clock.set('-2h')
  expect(await readyStatus(alibi)).toBe(200)
  expect(await confirm('used', used)).toBe(401)
  expect(await confirm('forwards', late)).toBe(401)
  expect((await http.get('/i18n')).status).toBe(429)
  await expectConfirmation(production, alibi.url, backwards)
  const valid = [
    ...((await confirm('unused', unused)) === 200 ? ['an unused code'] : []),
    ...((await checkOut('used')) !== 403 ? ['a proven address'] : []),
    ...((await http.post('/auth/logout', undefined, token)).status === 200 ? ['a token'] : []),
  ]
  const early = await one('early').mailCode()
  expect(await confirm('early', early)).toBe(200)

  clock.set('+0')
  expect(await confirm('early', early)).toBe(401)
  expect(await confirm('used', used)).toBe(401)
  expect(await one('forwards').hasPremium()).toBe(true)
  const after = await one('after').buy()
  expect((await http.get('/premium-reasons', after.token)).status).toBe(200)
  expect(loggedErrors(alibi)).toEqual([])
  printFigures(
    'clock jumps',
    '3 days forwards: 0 codes, proven addresses and tokens outlived their end; back to 2 hours before: 0 used codes ' +
      `accepted, 2 of 2 payments confirmed, valid by that clock are ${valid.join(', ') || 'none'}`,
  )
})
