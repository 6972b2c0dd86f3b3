import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { buyer, openProduction, type Production } from '../support/executable/production.ts'
import { carriedOut, change, stored, swept } from '../support/executable/stored.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'

let production: Production
let alibi: AlibiProcess

beforeAll(async () => {
  production = await openProduction()
  alibi = await production.start()
  await swept(production)
})
afterAll(() => production[Symbol.asyncDispose]())

/** Without a single setting but where the database is. */
const runAlone = (...parameters: string[]) =>
  production.run(parameters, { DATABASE_URL: production.settings.DATABASE_URL })

test('the audit is silent beside a service that has sold', async () => {
  await buyer(alibi, production, 'buyer@example.com').buy()
  await runAlone('grant', 'given@example.com')
  await runAlone('revoke', 'given@example.com')
  await carriedOut(production)
  expect(await runAlone('audit')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
  expect(await runAlone('audit', '--json')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
})

test('it prints a line for each discrepancy, or an object of its own, without an address', async () => {
  change(
    production,
    "INSERT INTO operator_grants SELECT 'forged', 'eve@example.com', max(at) + 1, NULL FROM audit_entries",
  )
  change(production, "DELETE FROM outbox WHERE kind = 'payment_confirmed'")
  const [purchase] = stored(production, "SELECT id FROM purchases WHERE state = 'paid'")
  const id = String(purchase?.['id'])

  expect(await runAlone('audit')).toMatchObject({
    exitCode: 1,
    stderr: '',
    stdout: [
      `confirmation_missing ${id}: the outbox has no payment_confirmed`,
      'grant_without_cause forged: no operator has an entry of giving it',
      '',
    ].join('\n'),
  })
  const json = await runAlone('audit', '--json')
  expect(json.exitCode).toBe(1)
  const objects = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(objects).toMatchObject([
    { kind: 'confirmation_missing', id, belongsTo: id },
    { kind: 'grant_without_cause', id: 'forged', belongsTo: 'forged' },
  ])
})

test('wrong settings exit with 78, and without a database it says where it was looked for', async () => {
  await using own = await openProduction()
  expect(await own.run(['audit'], { DATABASE_URL: 'mysql://nowhere' })).toMatchObject({
    exitCode: 78,
    stdout: '',
  })
  const outcome = await own.run(['audit'])
  expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
  expect(outcome.stderr).toMatch(/^alibi: there is no database at [^\n]+\n$/)
  expect(existsSync(own.databasePath)).toBe(false)
  expect((await own.run(['audit', 'something'])).exitCode).toBe(2)
})
