import { describe, expect, test } from 'bun:test'
import { MIGRATIONS } from '../../infrastructure/postgres/migrations.ts'
import { deliverAll } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { ask, hasPremium, openFleet, openPage, prove } from '../support/replicas/fleet.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { MIGRATED } from '../support/stores/postgres-store.ts'
import { fakeClock } from '../support/stress/fake-clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

const EMAIL = 'ada@example.com'
const BUYER = 'mario@example.com'
const CLIENTS = 8
const ROUNDS = IS_WHOLE ? 4 : 1
/** So many answers between two restarts, at the least. */
const ANSWERS_MIN = 100
const TWO_HOURS_S = 7200
/** A time that is less off than that is nearer to one clock than to the other. */
const HALF_WAY_S = TWO_HOURS_S / 2

describe.if(hasPostgres())('replicas on one PostgreSQL', () => {
  test('that start at once on an empty database migrate it once, and all serve', async () => {
    const { url } = await freshDatabase()
    await using fleet = await openFleet({ replicas: 3, url })

    const history = await fleet.rows('SELECT name FROM schema_migrations ORDER BY name')
    expect(history.map(({ name }) => String(name))).toEqual(MIGRATIONS.map(({ name }) => name))
    for (const alibi of fleet.replicas) {
      expect((await ask(alibi, '/ready')).status).toBe(200)
      expect(alibi.output()).not.toContain('"level":"error"')
    }
    await prove(fleet, EMAIL, { asked: fleet.inTurn(0), typed: fleet.inTurn(2) })
  })

  test('serve on when a newer one has migrated, and one that starts refuses', async () => {
    const { url } = await freshDatabase({ template: MIGRATED })
    await using fleet = await openFleet({ replicas: 2, url })
    await fleet.rows("INSERT INTO schema_migrations VALUES ('9999_future', 'abc', now())")

    const sessionId = await openPage(fleet, EMAIL)
    fleet.double.pay(sessionId)
    await deliverAll(fleet)
    for (const alibi of fleet.replicas) {
      expect(await hasPremium(alibi, EMAIL)).toBe(true)
      expect((await ask(alibi, '/ready')).status).toBe(200)
    }
    await fleet.carriedOut()

    const { exitCode, stdout, stderr } = await fleet.run('serve')
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toStartWith('alibi: ')
    expect(stderr).toContain('9999_future')
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test('are restarted one after the other without a request that fails, but for those that find nobody there', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    await fleet.givePremium([EMAIL])
    const [asked, typed] = [fleet.inTurn(0), fleet.inTurn(1)]
    const token = (await prove(fleet, EMAIL, { asked, typed }))!
    const serving: AlibiProcess[] = [...fleet.replicas]
    const stopping = new Set<AlibiProcess>()
    const seen = { answered: 0, nobodyThere: 0 }
    const failed: string[] = []
    let isOver = false

    async function request(number: number): Promise<void> {
      const paths = ['/i18n', '/premium-reasons', `/auth/check?email=${EMAIL}`, '/ready']
      const path = paths[number % paths.length]!
      const alibi = serving[number % serving.length]!
      try {
        const { status } = await ask(alibi, path, { token })
        // Whoever stops says so to a load balancer.
        if (status === 200 || (path === '/ready' && status === 503)) seen.answered++
        else failed.push(`${path}: ${status}`)
      } catch (error) {
        const { code } = error as { code?: string }
        // The system had taken the connection for a process that did not come to it before it closed its port.
        const isUnread = code === 'ECONNRESET' && stopping.has(alibi)
        if (code === 'ECONNREFUSED' || isUnread) seen.nobodyThere++
        else failed.push(`${path}: ${code}`)
      }
    }
    async function keepAsking(first: number): Promise<void> {
      for (let number = first; !isOver; number++) await request(number)
    }
    const asking = Array.from({ length: CLIENTS }, (_, index) => keepAsking(index))
    for (let round = 0; round < ROUNDS * serving.length; round++) {
      const before = seen.answered
      await until('both answer', () => seen.answered >= before + ANSWERS_MIN)
      const index = round % serving.length
      stopping.add(serving[index]!)
      expect(await serving[index]!.stop()).toBe(0)
      serving[index] = await fleet.start()
    }
    const before = seen.answered
    await until('both answer', () => seen.answered >= before + ANSWERS_MIN)
    isOver = true
    await Promise.all(asking)

    console.log(
      `rolling restarts: ${ROUNDS * serving.length}, ${seen.answered} answers, ${seen.nobodyThere} connections refused, ${failed.length} failures`,
    )
    expect(failed).toEqual([])
  })

  test.each([
    ['+2h', TWO_HOURS_S],
    ['-2h', -TWO_HOURS_S],
  ])(
    'go by the time of the database where the clock of one is off by %s',
    async (offset, offsetS) => {
      const clock = fakeClock(temporaryFolder())
      if (clock === null) {
        process.stdout.write(
          'not tested here: a replica whose clock is wrong (needs libfaketime)\n',
        )
        return
      }
      await using fleet = await openFleet({ replicas: 1 })
      clock.set(offset)
      const wrong = await fleet.start(clock.env)
      await fleet.givePremium([EMAIL])
      const right = fleet.inTurn(0)

      for (const [asked, typed] of [
        [right, wrong],
        [wrong, right],
        [wrong, wrong],
      ] as const) {
        const token = (await prove(fleet, EMAIL, { asked, typed }))!
        const [, claims = ''] = token.split('.')
        const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
        expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(HALF_WAY_S)
        expect(exp - iat).toBe(30 * 24 * 3600)
        for (const alibi of [right, wrong]) {
          expect(await ask(alibi, '/i18n', { token })).toMatchObject({ status: 200 })
        }
      }
      const event = fleet.double.pay(await openPage(fleet, BUYER)).at(-1)!
      expect(await fleet.deliver(wrong, event)).toBe(200)
      expect(await hasPremium(right, BUYER)).toBe(true)

      // Otherwise its clock was right.
      const logged = /"time":"([^"]+)"/.exec(wrong.output())?.[1] ?? ''
      const offS = (Date.parse(logged) - Date.now()) / 1000
      expect(Math.abs(offS - offsetS)).toBeLessThan(HALF_WAY_S)
    },
  )
})
