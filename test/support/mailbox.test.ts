import { afterEach, describe, expect, test } from 'bun:test'
import { createEmulator } from 'emulate'
import { DAY_MS } from '../../domain/duration.ts'
import { fixedClock } from './fakes.ts'
import { startMailbox } from './mailbox.ts'

// The mailbox stands in for Resend, so it has to answer as Resend does: as its documentation says, and as the
// emulator, which others wrote, understands it.

const BODY = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't', html: 'h' }

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

function openMailbox() {
  const clock = fixedClock()
  const mailbox = startMailbox({ clock })
  cleanUps.push(mailbox.stop)
  return { mailbox, clock }
}

async function openEmulator() {
  const emulator = await createEmulator({ service: 'resend', port: 0 })
  cleanUps.push(() => emulator.close())
  return emulator
}

async function post(url: string, key: string | null, body: object = BODY) {
  const response = await fetch(`${url}/emails`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer re_1',
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  const { id, name } = (await response.json()) as { id?: string; name?: string }
  return { status: response.status, id, name }
}

describe.each<[string, () => Promise<string>]>([
  ['mailbox', async () => openMailbox().mailbox.url],
  ['Resend emulator', async () => (await openEmulator()).url],
])('the %s', (_, open) => {
  test('gives every mail without a key an id of its own', async () => {
    const url = await open()
    const answers = [await post(url, null), await post(url, null)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(answers.map(({ id }) => id)).size).toBe(2)
  })

  test('answers the same mail under the same key with the same id', async () => {
    const url = await open()
    const first = await post(url, 'k')
    expect(first).toMatchObject({ status: 200, id: expect.any(String) })
    expect(await post(url, 'k')).toEqual(first)
    expect((await post(url, 'k2')).id).not.toBe(first.id)
  })

  test('refuses another mail under the same key', async () => {
    const url = await open()
    await post(url, 'k')
    const refused = { status: 409, id: undefined, name: 'invalid_idempotent_request' }
    expect(await post(url, 'k', { ...BODY, text: 'other' })).toEqual(refused)
  })

  test('refuses a key of more than 256 characters', async () => {
    const url = await open()
    expect((await post(url, 'k'.repeat(256))).status).toBe(200)
    const refused = { status: 400, id: undefined, name: 'invalid_idempotency_key' }
    expect(await post(url, 'k'.repeat(257))).toEqual(refused)
  })
})

test('the mailbox delivers once per key, and forgets keys after 24 hours', async () => {
  const { mailbox, clock } = openMailbox()
  await post(mailbox.url, 'k')
  clock.advance(DAY_MS - 1)
  await post(mailbox.url, 'k')
  expect(mailbox.delivered).toMatchObject([{ ...BODY, key: 'k' }])
  clock.advance(1)
  expect((await post(mailbox.url, 'k', { ...BODY, text: 'other' })).status).toBe(200)
  expect(mailbox.delivered).toMatchObject([{ text: 't' }, { text: 'other' }])
  expect(mailbox.mails.length).toBe(3)
})

test('the mailbox refuses a key that is under way, whatever comes under it', async () => {
  const { mailbox } = openMailbox()
  const { arrived, release } = mailbox.hold()
  const first = post(mailbox.url, 'k')
  await arrived
  const refused = { status: 409, name: 'concurrent_idempotent_requests' }
  expect(await post(mailbox.url, 'k')).toMatchObject(refused)
  expect(await post(mailbox.url, 'k', { ...BODY, text: 'other' })).toMatchObject(refused)
  release()
  expect((await first).status).toBe(200)
  expect(mailbox.delivered.length).toBe(1)
})

test('a mail that met a fault before it was taken leaves its key free', async () => {
  const { mailbox } = openMailbox()
  mailbox.fault('down', { times: 2 })
  mailbox.fault('reset')
  expect((await post(mailbox.url, 'k')).status).toBe(500)
  expect((await post(mailbox.url, 'k')).status).toBe(500)
  expect(await post(mailbox.url, 'k').catch((error) => error.code)).toBe('ECONNRESET')
  expect(mailbox.delivered).toEqual([])
  expect((await post(mailbox.url, 'k', { ...BODY, text: 'other' })).status).toBe(200)
  expect(mailbox.delivered.length).toBe(1)
})

test('a mail whose answer was lost is delivered, and its key taken', async () => {
  const { mailbox } = openMailbox()
  mailbox.fault('taken_reset')
  expect(await post(mailbox.url, 'k').catch((error) => error.code)).toBe('ECONNRESET')
  expect((await post(mailbox.url, 'k')).status).toBe(200)
  expect(mailbox.delivered.length).toBe(1)
})

test('the mailbox is down until its faults are cleared', async () => {
  const { mailbox } = openMailbox()
  mailbox.fault('down', { times: Infinity })
  for (let attempt = 1; attempt <= 5; attempt++)
    expect((await post(mailbox.url, 'k')).status).toBe(500)
  mailbox.clearFaults()
  expect((await post(mailbox.url, 'k')).status).toBe(200)
})

test('the latest code to an address is found among its other mails', async () => {
  const { mailbox } = openMailbox()
  await post(mailbox.url, null, { ...BODY, subject: '123456 is your Alibi code' })
  await post(mailbox.url, null, { ...BODY, subject: 'Your Alibi payment is confirmed' })
  expect(mailbox.latestCode(BODY.to)).toBe('123456')
  expect(() => mailbox.latestCode('c@example.com')).toThrow('no code')
})
