import { expect, test } from 'bun:test'
import { EMAIL } from '../support/http/http-client.ts'
import { openService } from '../support/service/real-service.ts'

// Bodies that are JSON, or nearly, and try to be more than what they say.

const CODE = '000000'
const DEEP = 20_000

const BODIES: readonly string[] = [
  'null',
  'true',
  '0',
  '""',
  '[]',
  '[{}]',
  `[{"email":"${EMAIL}"}]`,
  `"{\\"email\\":\\"${EMAIL}\\"}"`,
  '{"email":null}',
  '{"email":0}',
  '{"email":true}',
  '{"email":{}}',
  '{"email":[]}',
  `{"email":["${EMAIL}"]}`,
  `{"email":{"toString":"${EMAIL}"}}`,
  `{"email":{"length":15,"0":"a"}}`,
  `{"Email":"${EMAIL}"}`,
  `{"email ":"${EMAIL}"}`,
  `{"__proto__":{"email":"${EMAIL}"}}`,
  `{"constructor":{"prototype":{"email":"${EMAIL}"}}}`,
  `{"email":"${EMAIL}\\u0000"}`,
  `{"email":"${EMAIL}\\n"}`,
  `{"email":"${EMAIL},eve@example.com"}`,
  `{"email":"<${EMAIL}>"}`,
  '{"email":"\\ud800@example.com"}',
  `{"email":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
  `{"email":"${'a'.repeat(60_000)}@example.com"}`,
  `{"email":1e999}`,
  `\u00a0{"email":"${EMAIL}"}`,
  `{"email":"${EMAIL}",}`,
  `{"email":"${EMAIL}"}{}`,
]

const PATHS = [
  '/auth/verify-email',
  '/auth/confirm-email',
  '/auth/request-otp',
  '/auth/login',
  '/auth/token',
  '/checkout',
]

test.each(PATHS)(`${BODIES.length} odd bodies are each a clear error at %s`, async (path) => {
  const service = openService()
  const before = await service.contents()
  for (const body of BODIES) {
    const json =
      path === '/auth/token' ? body.replace('{', `{"codeVerifier":"x","code":"${CODE}",`) : body
    const { status, body: answer } = await service.send('POST', path, {
      headers: { 'content-type': 'application/json' },
      body: json,
    })
    expect({ body: json.slice(0, 60), status }).toMatchObject({ status: 400 })
    expect(answer).toEqual({ error: expect.stringMatching(/^Invalid (?:JSON|request|email)$/) })
  }
  expect(service.ports.mailer.mails).toEqual([])
  expect(await service.contents()).toEqual(before)
})

test('what is said twice counts as it was said last, and once', async () => {
  const service = openService()
  const body = `{"email":"eve@example.com","email":"${EMAIL}"}`
  await service.send('POST', '/auth/verify-email', {
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(service.ports.mailer.mails.map(({ to }) => String(to))).toEqual([EMAIL])
})
