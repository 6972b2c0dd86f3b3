import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../../application/unavailable.ts'
import { fakePorts } from '../../../support/fakes.ts'
import { answers, openHttp } from '../../../support/http/http-client.ts'

describe('GET /', () => {
  test('says what this is and what it answers', async () => {
    const answer = await openHttp({ version: '1.0.0' }).get('/')
    expect(answer).toMatchObject({
      status: 200,
      body: { name: 'Alibi', version: '1.0.0', status: 'running' },
    })
    const { endpoints } = answer.body as { endpoints: Record<string, Record<string, string>> }
    expect(Object.keys(endpoints)).toEqual(['auth', 'checkout', 'premium', 'payment', 'webhook'])
  })

  test('describes only endpoints that exist, and nothing is missing', async () => {
    const http = openHttp()
    const { endpoints } = (await http.get('/')).body as {
      endpoints: Record<string, Record<string, string>>
    }
    const described = Object.values(endpoints).flatMap((group) => Object.entries(group))
    for (const [endpoint, description] of described) {
      const [method = '', path = ''] = endpoint.split(' ')
      expect((await http.send(method, path)).body).not.toEqual({ error: 'Endpoint not found' })
      expect(description).not.toBe('')
    }
    expect(described.map(([endpoint]) => endpoint)).toEqual(
      expect.arrayContaining([
        'POST /auth/verify-email',
        'POST /auth/confirm-email',
        'POST /auth/token',
        'POST /auth/request-otp',
        'POST /auth/login',
        'GET /auth/check',
        'POST /checkout',
        'GET /premium-reasons',
        'GET /i18n',
        'GET /languages',
        'GET /payment/success',
        'GET /payment/cancel',
        'POST /webhook/stripe',
      ]),
    )
  })
})

describe('GET /health', () => {
  test('answers while the process lives, whatever the database does', async () => {
    const answer = await openHttp({ stopping: AbortSignal.abort() }, brokenDatabase()).get(
      '/health',
    )
    expect(answer).toMatchObject({ status: 200, body: { status: 'alive' } })
  })
})

describe('GET /ready', () => {
  test('answers once the database does', async () => {
    const answer = await openHttp().get('/ready')
    expect(answer).toMatchObject({ status: 200, body: { status: 'ready' } })
  })

  test('sends visitors elsewhere while the database is out of reach', async () => {
    const answer = await openHttp({}, brokenDatabase()).get('/ready')
    expect(answer).toMatchObject(answers(503, 'Temporarily unavailable'))
    expect(answer.header('retry-after')).toBe('30')
  })

  test('sends visitors elsewhere while the database takes no commits, though it can be read', async () => {
    const ports = fakePorts({
      databaseHealth: {
        check: async () => {},
        checkWritable: refuseStorage,
        lastWriteFailed: () => false,
      },
    })
    const http = openHttp({}, ports)
    expect(await http.get('/ready')).toMatchObject(answers(503, 'Temporarily unavailable'))
    expect((await http.get('/health')).status).toBe(200)
  })

  test('sends visitors elsewhere while the service is stopping', async () => {
    const stop = new AbortController()
    const http = openHttp({ stopping: stop.signal })
    expect((await http.get('/ready')).status).toBe(200)
    stop.abort()
    expect(await http.get('/ready')).toMatchObject(answers(503, 'Temporarily unavailable'))
  })
})

function brokenDatabase() {
  return fakePorts({
    databaseHealth: {
      check: refuseStorage,
      checkWritable: refuseStorage,
      lastWriteFailed: () => false,
    },
  })
}

async function refuseStorage(): Promise<never> {
  throw new Unavailable('storage', { cause: new Error('disk full') })
}
