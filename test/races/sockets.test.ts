import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { client } from '../support/http/client.ts'
import { EMAIL } from '../support/http/http-client.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { FROM_SOURCE, startAlibi } from '../support/service/alibi-process.ts'
import { atOnce, countStatuses, wrongCodes } from '../support/service/real-service.ts'
import { emptyMigratedDatabase } from '../support/stores/postgres-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The URL of an empty database, for a service in the folder. */
const URLS: readonly (readonly [name: string, open: (folder: string) => Promise<string>])[] = [
  ['sqlite', async (folder) => `sqlite:${join(folder, 'alibi.db')}`],
  ...(hasPostgres() ? [['postgres', emptyMigratedDatabase] as const] : []),
]

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

// Several processes on one PostgreSQL are in test/replicas/; requests between several handlers on one database are in
// codes.test.ts.
describe.each(URLS)('a running service on %s, asked over many connections', (_, openUrl) => {
  async function start() {
    const folder = temporaryFolder()
    const alibi = await startAlibi({
      command: FROM_SOURCE,
      cwd: folder,
      env: {
        APP_ENV: 'development',
        DATABASE_URL: await openUrl(folder),
        JWT_SECRET: 'a secret that is long enough to sign with',
        RATE_LIMIT_AUTH: 'off',
        // On a busy machine 200 requests for one row take longer than a user would wait.
        DATABASE_TIMEOUT: '1m',
      },
    })
    ends.push(alibi.stop)
    return client(alibi.url)
  }

  test('sends five mails, takes a code once, and counts five wrong tries', async () => {
    const alibi = await start()
    const mailed = await atOnce(100, () => alibi.post('/auth/verify-email', { email: EMAIL }))
    expect(countStatuses(mailed)).toEqual({ 200: 5, 429: 95 })
    const codes = new Set(mailed.flatMap(({ body }) => body['devCode'] ?? []))
    expect(codes.size).toBe(1)
    const [code] = codes

    const confirmed = await atOnce(200, () =>
      alibi.post('/auth/confirm-email', { email: EMAIL, code }),
    )
    expect(countStatuses(confirmed)).toEqual({ 200: 1, 401: 199 })
    const bob = 'bob@example.com'
    const { body } = await alibi.post('/auth/verify-email', { email: bob })
    const right = String(body['devCode'])
    const wrong = wrongCodes(right, 200)
    const tried = await atOnce(200, (index) =>
      alibi.post('/auth/confirm-email', { email: bob, code: wrong[index] }),
    )
    expect(countStatuses(tried)).toEqual({ 401: 200 })
    expect((await alibi.post('/auth/confirm-email', { email: bob, code: right })).status).toBe(401)
  })
})
