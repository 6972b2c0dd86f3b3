import { expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import {
  buyer,
  deliverAll,
  openProduction,
  otherCode,
  type Production,
} from '../support/executable/production.ts'
import { change } from '../support/executable/stored.ts'
import { client } from '../support/http/client.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'

const CREATE = 'POST /v1/checkout/sessions'

/**
 * Lets time pass for all codes: every moment on record moves into the past. What was counted came from elsewhere, since
 * one network gets no more than half of a day's mails and tries.
 */
function age(production: Production, minutes: number): void {
  const milliseconds = minutes * MINUTE_MS
  change(
    production,
    'UPDATE otps SET issued_at = issued_at - ?1, expires_at = expires_at - ?1',
    milliseconds,
  )
  change(production, 'UPDATE otp_mails SET network = NULL, sent_at = sent_at - ?', milliseconds)
  change(
    production,
    'UPDATE otp_wrong_tries SET network = NULL, tried_at = tried_at - ?',
    milliseconds,
  )
}

async function tryWrongCodes({ confirm }: ReturnType<typeof buyer>, code: string, times: number) {
  for (let distance = 1; distance <= times; distance++) {
    expect((await confirm(otherCode(code, distance))).status).toBe(401)
  }
}

test('wrong tries are still counted after kill -9: the fifth kills the code', async () => {
  await using production = await openProduction()
  const before = await production.start()
  const [unlucky, lucky] = ['unlucky@example.com', 'lucky@example.com'] as const
  const codes = {
    [unlucky]: await buyer(before, production, unlucky).mailCode(),
    [lucky]: await buyer(before, production, lucky).mailCode(),
  }
  await tryWrongCodes(buyer(before, production, unlucky), codes[unlucky], 3)
  await tryWrongCodes(buyer(before, production, lucky), codes[lucky], 3)

  const after = await production.restartKilled(before)
  await tryWrongCodes(buyer(after, production, unlucky), codes[unlucky], 2)
  await tryWrongCodes(buyer(after, production, lucky), codes[lucky], 1)
  const dead = await buyer(after, production, unlucky).confirm(codes[unlucky])
  expect(dead).toMatchObject({ status: 401, body: { error: 'Invalid or expired code' } })
  expect((await buyer(after, production, lucky).confirm(codes[lucky])).status).toBe(200)
})

test('a code that was used is not right again after kill -9', async () => {
  await using production = await openProduction()
  const before = await production.start()
  const code = await buyer(before, production, 'once@example.com').mailCode()
  expect((await buyer(before, production, 'once@example.com').confirm(code)).status).toBe(200)

  const after = await production.restartKilled(before)
  expect((await buyer(after, production, 'once@example.com').confirm(code)).status).toBe(401)
})

test('mails are still counted after kill -9: five in a quarter of an hour, twenty a day', async () => {
  await using production = await openProduction()
  const { mails } = production.mailbox
  const email = 'mailed@example.com'
  const ask = ({ url }: AlibiProcess) => client(url).post('/auth/verify-email', { email })

  let alibi = await production.start()
  for (let round = 1; round <= 4; round++) {
    for (let mail = 1; mail <= 4; mail++) expect((await ask(alibi)).status).toBe(200)
    alibi = await production.restartKilled(alibi)
    expect((await ask(alibi)).status).toBe(200)
    const refused = await ask(alibi)
    expect(refused.status).toBe(429)
    const waitSeconds = Number(refused.headers.get('retry-after'))
    // After the fourth round twenty have gone out, the first of them three quarters of an hour ago.
    if (round < 4) expect(waitSeconds).toBeWithin(1, 15 * 60 + 1)
    else expect(waitSeconds).toBeWithin(15 * 60 + 1, 24 * 60 * 60 - 45 * 60 + 1)
    expect(mails.length).toBe(5 * round)
    age(production, 16)
  }
  expect((await ask(alibi)).status).toBe(429)
  expect(mails.length).toBe(20)
})

test('a day’s forty wrong tries are still counted after kill -9, and then the right code is refused', async () => {
  await using production = await openProduction()
  let alibi = await production.start()
  const email = 'guessed@example.com'
  const inRound = async (tries: number) => {
    const one = buyer(alibi, production, email)
    await tryWrongCodes(one, await one.mailCode(), tries)
  }
  for (let round = 1; round <= 4; round++) await inRound(5)
  age(production, 16)
  for (let round = 1; round <= 3; round++) await inRound(5)
  await inRound(3)

  alibi = await production.restartKilled(alibi)
  const guessed = buyer(alibi, production, email)
  await tryWrongCodes(guessed, production.mailbox.latestCode(email), 2)
  age(production, 16)
  const right = await guessed.mailCode()
  const refused = await guessed.confirm(right)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(22 * 60 * 60)
})

test('tokens, premium and log-outs outlive kill -9', async () => {
  await using production = await openProduction()
  const before = await production.start()
  const { token } = await buyer(before, production, 'stays@example.com').buy()
  const gone = buyer(before, production, 'leaves@example.com')
  const { token: ended } = await gone.buy()
  expect((await gone.http.post('/auth/logout', undefined, ended)).status).toBe(200)

  const after = await production.restartKilled(before)
  const { http, hasPremium } = buyer(after, production, 'stays@example.com')
  expect(await hasPremium()).toBe(true)
  expect((await http.get('/premium-reasons', token)).status).toBe(200)
  expect((await http.get('/premium-reasons', ended)).status).toBe(401)
  expect(await buyer(after, production, 'leaves@example.com').hasPremium()).toBe(true)
})

test('a proven address outlives kill -9, and so does its payment page', async () => {
  await using production = await openProduction()
  const before = await production.start()
  const { prove, checkOut } = buyer(before, production, 'buyer@example.com')
  await prove()
  const session = await checkOut()

  const after = await production.restartKilled(before)
  const again = buyer(after, production, 'buyer@example.com')
  expect(await again.checkOut()).toEqual(session)
  production.double.pay(session.sessionId)
  await deliverAll(production)
  expect(await again.hasPremium()).toBe(true)
})

test('an event that was accepted right before kill -9 is never lost', async () => {
  await using production = await openProduction()
  let alibi = await production.start()
  for (const email of ['first@example.com', 'second@example.com', 'third@example.com']) {
    const { prove, checkOut } = buyer(alibi, production, email)
    await prove()
    production.double.pay((await checkOut()).sessionId)
    await deliverAll(production)
    alibi = await production.restartKilled(alibi)
    expect(await buyer(alibi, production, email).hasPremium()).toBe(true)
  }
})

test('killed between Stripe’s answer and its own, it has sold nothing twice: the next checkout is the same session', async () => {
  await using production = await openProduction()
  const { double } = production
  const before = await production.start()
  const { http, prove, email } = buyer(before, production, 'buyer@example.com')
  await prove()
  // Stripe has made the session, and its answer never arrives.
  double.fault('hang', { on: CREATE })
  const broken = http.post('/checkout', { email }).catch(() => 'no answer')
  await production.asked(CREATE)
  const after = await production.restartKilled(before)
  expect(await broken).toBe('no answer')
  expect(double.sessions.size).toBe(1)

  const session = await buyer(after, production, email).checkOut()
  expect([...double.sessions.keys()]).toEqual([session.sessionId])
  const keys = double.requests
    .filter(({ route }) => route === CREATE)
    .map(({ headers }) => headers['idempotency-key'])
  expect(keys.length).toBe(2)
  expect(new Set(keys).size).toBe(1)
})
