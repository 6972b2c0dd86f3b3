import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { PLACES } from '../support/service/places.ts'
import { serviceSetup, wrongCodes } from '../support/service/real-service.ts'

const REFUSED = answers(401, 'Invalid or expired code')
const LIMITED = answers(429, 'Too many requests, please try again later')
const OUTAGE = answers(503, 'Email delivery unavailable')

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  async function openCodes() {
    const service = await openService()
    return {
      ...service,
      mails: service.ports.mailer.mails,
      mailCode: (email: string = EMAIL) => service.mailCode(email),
      ask: (path = '/auth/verify-email', email: string = EMAIL) => service.post(path, { email }),
      logIn: (code: string) => service.post('/auth/login', { email: EMAIL, code }),
      confirm: (code: string) => service.post('/auth/confirm-email', { email: EMAIL, code }),
    }
  }

  describe('a code', () => {
    test.each([
      ['/auth/verify-email', '/auth/confirm-email'],
      ['/auth/verify-email', '/auth/login'],
      ['/auth/request-otp', '/auth/confirm-email'],
      ['/auth/request-otp', '/auth/login'],
    ])('mailed by %s serves %s', async (asked, used) => {
      const { givePremium, ask, mails, post } = await openCodes()
      await givePremium()
      await ask(asked)
      const { code } = mails[0]!
      expect(code).toMatch(/^[0-9]{6}$/)
      expect((await post(used, { email: EMAIL, code })).status).toBe(200)
      expect(await post(used, { email: EMAIL, code })).toMatchObject(REFUSED)
    })

    test('is used up by a log-in that is refused for want of premium', async () => {
      const { mailCode, logIn, confirm } = await openCodes()
      const code = await mailCode()
      expect(await logIn(code)).toMatchObject({ status: 403 })
      expect(await confirm(code)).toMatchObject(REFUSED)
    })

    test('works to the last millisecond of its ten minutes and no longer', async () => {
      const { mailCode, confirm, clock } = await openCodes()
      const last = await mailCode()
      clock.advance(10 * MINUTE_MS - 1)
      expect((await confirm(last)).status).toBe(200)
      const late = await mailCode()
      clock.advance(10 * MINUTE_MS)
      expect(await confirm(late)).toMatchObject(REFUSED)
    })

    test('of another address is wrong', async () => {
      const { mailCode, confirm } = await openCodes()
      await mailCode()
      expect(await confirm(await mailCode('bob@example.com'))).toMatchObject(REFUSED)
    })

    test.each<[string, (code: string) => string]>([
      ['Arabic digits', (code) => inScript(code, '٠')],
      ['Persian digits with spaces', (code) => inScript(code, '۰').replace(/^.../, '$& ')],
      ['Devanagari digits', (code) => inScript(code, '०')],
      ['full-width digits', (code) => inScript(code, '０')],
      ['a dash in the middle', (code) => code.replace(/^.../, '$&-')],
      ['an en dash in the middle', (code) => code.replace(/^.../, '$&\u2013')],
      ['spaces everywhere', (code) => ` ${[...code].join(' ')}\t`],
      ['a line break after it', (code) => `${code}\r\n`],
      [
        'a no-break space and marks of direction',
        (code) => `\u200f${code.replace(/^.../, '$&\u00a0')}`,
      ],
    ])('is read with %s', async (_, typed) => {
      const { mailCode, confirm } = await openCodes()
      expect((await confirm(typed(await mailCode()))).status).toBe(200)
    })

    test('that is malformed burns no try, nor does one while no code lives', async () => {
      const { mailCode, confirm } = await openCodes()
      for (let index = 0; index < 50; index++)
        expect(await confirm('000000')).toMatchObject(REFUSED)
      const code = await mailCode()
      for (const malformed of [
        '',
        '12345',
        '1234567',
        'abcdef',
        `${code}0`,
        '½½½½½½',
        '1e5',
        '0x1234',
      ]) {
        expect(await confirm(malformed)).toMatchObject(REFUSED)
      }
      for (const wrong of wrongCodes(code, 4)) expect(await confirm(wrong)).toMatchObject(REFUSED)
      expect((await confirm(code)).status).toBe(200)
    })

    test('that is wrong five times is dead, and the next one has five tries of its own', async () => {
      const { mailCode, confirm } = await openCodes()
      const dead = await mailCode()
      for (const wrong of wrongCodes(dead, 5)) await confirm(wrong)
      expect(await confirm(dead)).toMatchObject(REFUSED)

      const next = await mailCode()
      for (const wrong of wrongCodes(next, 4)) await confirm(wrong)
      expect((await confirm(next)).status).toBe(200)
    })
  })

  describe('another mail', () => {
    test('carries the same code in the first half of its life and leaves its end alone', async () => {
      const { mailCode, confirm, clock } = await openCodes()
      const code = await mailCode()
      clock.advance(5 * MINUTE_MS)
      expect(await mailCode()).toBe(code)
      clock.advance(5 * MINUTE_MS - 1)
      expect((await confirm(code)).status).toBe(200)

      const second = await mailCode()
      clock.advance(5 * MINUTE_MS)
      await mailCode()
      clock.advance(5 * MINUTE_MS)
      expect(await confirm(second)).toMatchObject(REFUSED)
    })

    test('carries a new code in the second half, which replaces the old one', async () => {
      const { mailCode, confirm, clock } = await openCodes()
      const old = await mailCode()
      clock.advance(5 * MINUTE_MS + 1)
      const fresh = await mailCode()
      expect(fresh).not.toBe(old)
      expect(await confirm(old)).toMatchObject(REFUSED)
      expect((await confirm(fresh)).status).toBe(200)
    })

    test('gives back no try that was made', async () => {
      const { mailCode, confirm } = await openCodes()
      const code = await mailCode()
      for (const wrong of wrongCodes(code, 4)) await confirm(wrong)
      expect(await mailCode()).toBe(code)
      await confirm(wrongCodes(code, 1)[0]!)
      expect(await confirm(code)).toMatchObject(REFUSED)
    })
  })

  describe('mails to one address', () => {
    test('are at most five in 15 minutes and 20 in 24 hours, whatever the client, and the last code works', async () => {
      const { send, clock, mails, confirm } = await openCodes()
      let client = 0
      const ask = () =>
        send('POST', '/auth/verify-email', {
          // Each from a network of its own, since one network gets no more than half of a day's mails.
          peer: `198.51.${client++ % 250}.7`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: EMAIL }),
        })

      for (let quarter = 0; quarter < 4; quarter++) {
        for (let mail = 0; mail < 5; mail++) expect((await ask()).status).toBe(200)
        const refused = await ask()
        expect(refused).toMatchObject(LIMITED)
        const day = 24 * 60 * 60
        expect(refused.header('retry-after')).toBe(String(quarter < 3 ? 900 : day - 3 * 900))
        if (quarter < 3) clock.advance(15 * MINUTE_MS)
      }
      expect(mails).toHaveLength(20)
      expect((await confirm(mails.at(-1)!.code)).status).toBe(200)

      clock.advance((24 * 60 - 45) * MINUTE_MS - 1)
      expect(await ask()).toMatchObject(LIMITED)
      clock.advance(1)
      expect((await ask()).status).toBe(200)
    })

    test('are not counted when request-otp refuses for want of premium', async () => {
      const { ask, mails } = await openCodes()
      for (let index = 0; index < 30; index++) {
        expect(await ask('/auth/request-otp')).toMatchObject({ status: 403 })
      }
      expect(mails).toEqual([])
      for (let mail = 0; mail < 5; mail++) expect((await ask()).status).toBe(200)
      expect(await ask()).toMatchObject(LIMITED)
    })

    test('that cannot be sent are 503, count for nothing, and leave the code that lives alive', async () => {
      const { ask, ports, mailCode, confirm, clock } = await openCodes()
      const code = await mailCode()
      clock.advance(6 * MINUTE_MS)
      ports.mailer.outage = true
      for (let index = 0; index < 30; index++) expect(await ask()).toMatchObject(OUTAGE)
      expect((await confirm(code)).status).toBe(200)

      ports.mailer.outage = false
      for (let mail = 0; mail < 4; mail++) expect((await ask()).status).toBe(200)
      expect(await ask()).toMatchObject(LIMITED)
    })
  })

  describe('an unknown address', () => {
    test('is answered like one that has premium, at every step that asks for none', async () => {
      const { givePremium, post, ports } = await openCodes()
      await givePremium()
      const told = async (email: string) => {
        const seen: unknown[] = []
        const say = ({ status, body, header }: Awaited<ReturnType<typeof post>>) =>
          seen.push([status, body, header('retry-after')])
        for (let mail = 0; mail < 6; mail++) say(await post('/auth/verify-email', { email }))
        const { code } = ports.mailer.mails.at(-1)!
        for (const wrong of wrongCodes(code, 6))
          say(await post('/auth/login', { email, code: wrong }))
        say(await post('/auth/confirm-email', { email, code }))
        return seen
      }
      expect(await told('nobody@example.com')).toEqual(await told(EMAIL))
    })
  })

  /** The code in the digits of the script whose zero is given. */
  function inScript(code: string, zero: string): string {
    const first = zero.codePointAt(0)!
    return code.replace(/[0-9]/g, (digit) => String.fromCodePoint(first + Number(digit)))
  }
})
