import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { client } from '../support/http/client.ts'
import { EMAIL } from '../support/http/http-client.ts'
import { type AlibiProcess, FROM_SOURCE, startAlibi } from '../support/service/alibi-process.ts'
import { atOnce, countStatuses, wrongCodes } from '../support/service/real-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

describe('two running services on one database', () => {
  async function startTwo() {
    const folder = temporaryFolder()
    const start = () =>
      startAlibi({
        command: FROM_SOURCE,
        cwd: folder,
        env: {
          APP_ENV: 'development',
          DATABASE_URL: `sqlite:${join(folder, 'alibi.db')}`,
          JWT_SECRET: 'one secret of more than thirty-two bytes for both',
          RATE_LIMIT_AUTH: 'off',
        },
      })
    const both: AlibiProcess[] = await Promise.all([start(), start()])
    ends.push(...both.map(({ stop }) => stop))
    const clients = both.map(({ url }) => client(url))
    return (index: number) => clients[index % 2]!
  }

  test('send five mails between them, take a code once, and count five wrong tries', async () => {
    const alibi = await startTwo()
    const mailed = await atOnce(100, (index) =>
      alibi(index).post('/auth/verify-email', { email: EMAIL }),
    )
    expect(countStatuses(mailed)).toEqual({ 200: 5, 429: 95 })
    const codes = new Set(mailed.flatMap(({ body }) => body['devCode'] ?? []))
    expect(codes.size).toBe(1)
    const [code] = codes

    const confirmed = await atOnce(200, (index) =>
      alibi(index).post('/auth/confirm-email', { email: EMAIL, code }),
    )
    expect(countStatuses(confirmed)).toEqual({ 200: 1, 401: 199 })
    const bob = 'bob@example.com'
    const { body } = await alibi(0).post('/auth/verify-email', { email: bob })
    const right = String(body['devCode'])
    const wrong = wrongCodes(right, 200)
    const tried = await atOnce(200, (index) =>
      alibi(index).post('/auth/confirm-email', { email: bob, code: wrong[index] }),
    )
    expect(countStatuses(tried)).toEqual({ 401: 200 })
    expect((await alibi(1).post('/auth/confirm-email', { email: bob, code: right })).status).toBe(
      401,
    )
  })
})
