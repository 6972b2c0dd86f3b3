import { describe, expect, test } from 'bun:test'
import { eraseEmail } from '../../application/customers/erase-email.ts'
import { grantPremium } from '../../application/customers/grant-premium.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { PurchaseId } from '../../domain/order.ts'
import { orderSeals } from '../../infrastructure/secrets/order-seals.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'
import { PLACES } from '../support/service/places.ts'
import { type Service, serviceSetup, wrongCodes } from '../support/service/real-service.ts'
import { PRICE } from '../support/stripe/payment-gateways.ts'

// JWT_SECRET is rolled from replica to replica: the new one is made known to all, then signed with, then the old one
// is dropped. Two replicas share a database meanwhile, and are a step apart at most.

const OLD = 'the secret of yesterday, long enough to sign with'
const NEW = 'the secret of tomorrow, long enough to sign with'
/** What a replica has of both, at each step of its own. */
const STEPS = [
  { secret: OLD, previousSecret: null },
  { secret: OLD, previousSecret: NEW },
  { secret: NEW, previousSecret: OLD },
  { secret: NEW, previousSecret: null },
] as const
type Step = 0 | 1 | 2 | 3

/** The steps of the two replicas, from moment to moment. */
const ROLL: readonly (readonly [Step, Step])[] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [2, 1],
  [2, 2],
  [3, 2],
  [3, 3],
]

const LIMITED = answers(429, 'Too many requests, please try again later')
const WRONG = answers(401, 'Invalid or expired code')
const ENDED = answers(401, 'Invalid or expired token')

type Replica = ReturnType<Service['openProcess']>

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  /** A customer, and replicas at any step. */
  async function openReplicas() {
    const service = await openService()
    await service.givePremium()
    return { service, replica: (step: Step) => service.openProcess(STEPS[step]) }
  }

  const confirm = (replica: Replica, code: string, email: string = EMAIL) =>
    replica.post('/auth/confirm-email', { email, code })

  const read = (replica: Replica, token: string) =>
    replica.get('/i18n', { authorization: `Bearer ${token}` })

  const expectRead = async (replica: Replica, token: string) =>
    expect((await read(replica, token)).status).toBe(200)

  const MEETINGS = ROLL.flatMap(([one, other]) => [
    { one, other },
    { one: other, other: one },
  ]).filter((pair, index, all) => index === all.findIndex((same) => Bun.deepEquals(same, pair)))

  describe.each(MEETINGS)('at a replica at step $one and one at step $other', ({ one, other }) => {
    async function openPair() {
      const { service, replica } = await openReplicas()
      return { service, here: replica(one), there: replica(other) }
    }

    test('a code that one mailed is right at the other, once', async () => {
      const { here, there } = await openPair()
      const code = await here.mailCode()
      expect((await confirm(there, code)).status).toBe(200)
      expect(await confirm(here, code)).toMatchObject(WRONG)
    })

    test('a code is mailed again with the same digits, and its five tries are counted together', async () => {
      const { here, there } = await openPair()
      const code = await here.mailCode()
      expect(await there.mailCode()).toBe(code)
      expect(await here.mailCode()).toBe(code)
      for (const [index, wrong] of wrongCodes(code, 5).entries()) {
        expect(await confirm([here, there][index % 2]!, wrong)).toMatchObject(WRONG)
      }
      expect(await confirm(there, code)).toMatchObject(WRONG)
      expect(await there.mailCode()).not.toBe(code)
    })

    test('a code that is replaced by the other is right nowhere any more', async () => {
      const { service, here, there } = await openPair()
      const code = await here.mailCode()
      service.clock.advance(6 * MINUTE_MS)
      const next = await there.mailCode()
      for (const replica of [here, there]) {
        expect(await confirm(replica, code)).toMatchObject(WRONG)
      }
      expect((await confirm(here, next)).status).toBe(200)
    })

    test('the mails to a mailbox are counted together', async () => {
      const { here, there } = await openPair()
      const ask = (replica: Replica, tag: number) =>
        replica.post('/auth/verify-email', { email: `ada+${tag}@example.com` })
      for (let tag = 0; tag < 5; tag++) {
        expect((await ask(tag < 2 ? here : there, tag)).status).toBe(200)
      }
      for (const replica of [here, there]) expect(await ask(replica, 5)).toMatchObject(LIMITED)
    })

    test('a token of one lets in at the other, shows a holder there, and ends by a log-out there', async () => {
      const { here, there } = await openPair()
      const token = await here.tokenOf()
      const authorization = `Bearer ${token}`
      for (const replica of [there, here]) await expectRead(replica, token)

      await here.post('/auth/verify-email', { email: EMAIL }, { authorization })
      const code = here.ports.mailer.mails.at(-1)!.code
      expect(await confirm(there, code)).toMatchObject(WRONG)
      const entered = await there.post('/auth/login', { email: EMAIL, code }, { authorization })
      expect(entered.status).toBe(200)

      expect((await there.post('/auth/logout', {}, { authorization })).status).toBe(200)
      for (const replica of [there, here]) expect(await read(replica, token)).toMatchObject(ENDED)
      await expectRead(here, await there.tokenOf())
    })

    test('a proof of the address at one is one at the other', async () => {
      const { here, there } = await openPair()
      const code = await here.mailCode()
      await there.post('/auth/confirm-email', { email: EMAIL, code, codeChallenge: CHALLENGE })
      const { body } = await here.post('/auth/token', { email: EMAIL, codeVerifier: VERIFIER })
      await expectRead(there, (body as { token: string }).token)
    })

    test('an erasure at one ends the tokens of both, also once the address buys again', async () => {
      const { service, here, there } = await openPair()
      const tokens = [await here.tokenOf(), await there.tokenOf()]
      expect(await eraseEmail(here.ports, EMAIL)).toMatchObject({ outcome: 'erased' })
      await grantPremium(service.ports, EMAIL)
      for (const token of tokens) {
        for (const replica of [here, there]) expect(await read(replica, token)).toMatchObject(ENDED)
      }
    })

    test('the seal of an order that one made fits at the other', () => {
      const order = { id: 'pur_1' as PurchaseId, email: EMAIL, price: PRICE }
      expect(orderSeals(STEPS[other]).fits(order, orderSeals(STEPS[one]).sealOf(order))).toBe(true)
    })
  })

  describe('a roll from its beginning to its end', () => {
    /** Has both replicas at each moment, one after the other. */
    async function walk(
      at: (moment: number, replicas: readonly Replica[], steps: readonly Step[]) => Promise<void>,
    ): Promise<void> {
      const { replica } = await openReplicas()
      for (const [moment, steps] of ROLL.entries()) await at(moment, steps.map(replica), steps)
    }

    test('ends no token before its own secret is dropped', async () => {
      const tokens: { token: string; madeAt: Step }[] = []
      await walk(async (_, replicas, steps) => {
        for (const [index, replica] of replicas.entries()) {
          tokens.push({ token: await replica.tokenOf(), madeAt: steps[index]! })
        }
        for (const [index, replica] of replicas.entries()) {
          for (const { token, madeAt } of tokens) {
            const isDropped = steps[index] === 3 && madeAt < 2
            expect((await read(replica, token)).status).toBe(isDropped ? 401 : 200)
          }
        }
      })
      expect(tokens).toHaveLength(2 * ROLL.length)
    })

    test('ends no code between two moments, nor from the first to the last at which all secrets count', async () => {
      let mailed: { email: string; code: string }[][] = [[], []]
      const early: { email: string; code: string }[] = []
      let confirmed = 0
      await walk(async (moment, replicas) => {
        for (const [index, replica] of replicas.entries()) {
          for (const { email, code } of mailed[index]!) {
            expect((await confirm(replica, code, email)).status).toBe(200)
            confirmed++
          }
        }
        if (moment === 4) {
          for (const [index, { email, code }] of early.entries()) {
            expect((await confirm(replicas[index % 2]!, code, email)).status).toBe(200)
            confirmed++
          }
        }
        mailed = [[], []]
        for (const [by, replica] of replicas.entries()) {
          for (const [next, codes] of mailed.entries()) {
            const email = `${moment}-${by}-${next}@example.com`
            codes.push({ email, code: await replica.mailCode(email) })
          }
          if (moment > 3) continue
          const email = `${moment}-${by}-early@example.com`
          early.push({ email, code: await replica.mailCode(email) })
        }
      })
      expect(confirmed).toBe(4 * (ROLL.length - 1) + early.length)
    })

    test('counts the mails to a mailbox on and on', async () => {
      await walk(async (moment, replicas) => {
        for (const [index, replica] of replicas.entries()) {
          const email = `ada+${moment}-${index}@example.com`
          const { status } = await replica.post('/auth/verify-email', { email })
          // Two at each moment; what was counted under the old secret is dropped with it.
          if (moment < 5) expect(status).toBe(2 * moment + index < 5 ? 200 : 429)
        }
      })
    })

    test.each(['a log-out', 'an erasure'])(
      'lets no token live again that %s has ended',
      async (end) => {
        for (const [endedAt] of ROLL.entries()) {
          for (const by of [0, 1]) {
            let ended: string[] = []
            await walk(async (moment, replicas) => {
              if (moment === endedAt) {
                ended = await Promise.all(replicas.map((one) => one.tokenOf()))
                await endTokens(replicas[by]!, end, ended[by]!)
              }
              for (const replica of replicas) {
                for (const token of ended) expect(await read(replica, token)).toMatchObject(ENDED)
                await expectRead(replica, await replica.tokenOf())
              }
            })
          }
        }
      },
    )
  })

  /** The address has premium afterwards. */
  async function endTokens(replica: Replica, end: string, token: string): Promise<void> {
    if (end === 'a log-out') {
      await replica.post('/auth/logout', {}, { authorization: `Bearer ${token}` })
      return
    }
    await eraseEmail(replica.ports, EMAIL)
    await grantPremium(replica.ports, EMAIL)
  }

  test('a code of a dropped secret is as none: no try is counted, and the next mail has a right one', async () => {
    const { replica } = await openReplicas()
    const [before, after] = [replica(1), replica(3)]
    const old = await before.mailCode()
    for (const code of [old, ...wrongCodes(old, 5)]) {
      expect(await confirm(after, code)).toMatchObject(WRONG)
    }
    const code = await after.mailCode()
    expect((await confirm(after, code)).status).toBe(200)
    const { wrongTries } = await after.ports.personalData.find(EMAIL)
    expect(wrongTries).toEqual([])
  })
})
