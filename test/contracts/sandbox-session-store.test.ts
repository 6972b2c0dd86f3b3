import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { SandboxSessionRecord } from '../../infrastructure/sandbox/session.ts'
import { NOON } from '../support/fakes.ts'
import { ANNA } from '../support/stores/contract-purchases.ts'
import { DATABASES } from '../support/stores/stores.ts'

const SESSION: SandboxSessionRecord = {
  sessionId: 'cs_one',
  purchaseId: 'one' as PurchaseId,
  customerEmail: ANNA,
  price: { amount: 400, currency: 'eur' },
  state: 'open',
  createdAt: NOON,
  expiresAt: new Date(NOON.getTime() + MINUTE_MS),
  paymentIntentId: null,
}

describe.each(DATABASES)('SandboxSessionStore on %s', (_, open) => {
  test('knows no session that was never created', async () => {
    const { sandboxSessions } = await open()

    expect(await sandboxSessions.find('cs_one')).toBeNull()
  })

  test('keeps every field of a session', async () => {
    const { sandboxSessions } = await open()

    expect(await sandboxSessions.create(SESSION)).toEqual(SESSION)
    expect(await sandboxSessions.find('cs_one')).toEqual(SESSION)
    expect(await sandboxSessions.find('cs_two')).toBeNull()
  })

  test('returns the session that the purchase already has, unchanged', async () => {
    const { sandboxSessions } = await open()
    await sandboxSessions.create(SESSION)
    await sandboxSessions.update('cs_one', (session) => ({ ...session, state: 'paid' }))

    const again = await sandboxSessions.create({ ...SESSION, sessionId: 'cs_two' })
    expect(again).toEqual({ ...SESSION, state: 'paid' })
    expect(await sandboxSessions.find('cs_two')).toBeNull()
  })

  test('gives 50 parallel creations for one purchase one session', async () => {
    const { sandboxSessions } = await open()

    const created = await Promise.all(
      Array.from({ length: 50 }, (_unused, count) =>
        sandboxSessions.create({ ...SESSION, sessionId: `cs_${count}` }),
      ),
    )
    expect(new Set(created.map(({ sessionId }) => sessionId)).size).toBe(1)
  })

  test('refuses to give a session another purchase', async () => {
    const { sandboxSessions } = await open()
    await sandboxSessions.create(SESSION)

    const stolen = sandboxSessions.create({ ...SESSION, purchaseId: 'two' as PurchaseId })
    await expect(stolen).rejects.toThrow(
      /UNIQUE constraint failed: sandbox_sessions.session_id|unique constraint "sandbox_sessions_pkey"/,
    )
    expect(await sandboxSessions.find('cs_one')).toEqual(SESSION)
  })

  test('returns and keeps what the change makes of a session', async () => {
    const { sandboxSessions } = await open()
    await sandboxSessions.create(SESSION)

    const paid = { ...SESSION, state: 'paid', paymentIntentId: 'pi_one' } as const
    expect(await sandboxSessions.update('cs_one', () => paid)).toEqual(paid)
    expect(await sandboxSessions.find('cs_one')).toEqual(paid)
  })

  test('changes no session that is unknown', async () => {
    const { sandboxSessions } = await open()

    expect(await sandboxSessions.update('cs_one', () => SESSION)).toBeNull()
    expect(await sandboxSessions.find('cs_one')).toBeNull()
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { sandboxSessions } = await open()
    await sandboxSessions.create(SESSION)

    const refusal = new Error('refused')
    const refused = sandboxSessions.update('cs_one', () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await sandboxSessions.find('cs_one')).toEqual(SESSION)
  })

  test('loses none of 200 parallel updates', async () => {
    const { sandboxSessions } = await open()
    await sandboxSessions.create(SESSION)

    await Promise.all(
      Array.from({ length: 200 }, () =>
        sandboxSessions.update('cs_one', (session) => ({
          ...session,
          expiresAt: new Date(session.expiresAt.getTime() + 1),
        })),
      ),
    )
    const session = await sandboxSessions.find('cs_one')
    expect(session?.expiresAt).toEqual(new Date(SESSION.expiresAt.getTime() + 200))
  })

  describe('lists sessions', () => {
    const at = (seconds: number) => new Date(NOON.getTime() + seconds * 1000)

    /** Two sessions a second, made in an order that is not that of their names. */
    async function openWithSessions(count: number) {
      const { sandboxSessions } = await open()
      for (let made = 0; made < count; made++) {
        const number = String((made * 7) % count).padStart(3, '0')
        await sandboxSessions.create({
          ...SESSION,
          sessionId: `cs_${number}`,
          purchaseId: `pur_${number}` as PurchaseId,
          createdAt: at(Math.floor(Number(number) / 2)),
        })
      }
      const list = async (page: { since?: Date; after?: string | null; limit?: number }) => {
        const listed = await sandboxSessions.list({ since: NOON, after: null, limit: 100, ...page })
        return listed.map(({ sessionId }) => sessionId)
      }
      return { sandboxSessions, list }
    }

    test('newest first, with all that is kept of them', async () => {
      const { sandboxSessions, list } = await openWithSessions(5)
      expect(await list({})).toEqual(['cs_004', 'cs_003', 'cs_002', 'cs_001', 'cs_000'])
      const [newest] = await sandboxSessions.list({ since: NOON, after: null, limit: 1 })
      expect(newest).toEqual((await sandboxSessions.find('cs_004'))!)
    })

    test('that were made no earlier than asked for', async () => {
      const { list } = await openWithSessions(5)
      expect(await list({ since: at(1) })).toEqual(['cs_004', 'cs_003', 'cs_002'])
      expect(await list({ since: new Date(at(1).getTime() + 1) })).toEqual(['cs_004'])
      expect(await list({ since: at(3) })).toEqual([])
    })

    test('page by page, each of them once', async () => {
      const { list } = await openWithSessions(25)
      const all: string[] = []
      let page = await list({ limit: 10 })
      while (page.length > 0) {
        all.push(...page)
        page = await list({ limit: 10, after: all.at(-1)! })
      }
      expect(all).toHaveLength(25)
      expect(all).toEqual(await list({}))
    })

    test('and none after an unknown one', async () => {
      const { list } = await openWithSessions(3)
      expect(await list({ after: 'cs_nobody' })).toEqual([])
    })
  })
})
