import { describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { Strings } from '../../../../application/content/strings.ts'
import { openApiDocument } from '../../../../interfaces/composition/run-openapi.ts'
import { createApp } from '../../../../interfaces/http/app.ts'
import { rulesOf } from '../../../../interfaces/http/paths.ts'
import {
  type Operation as DescribedOperation,
  type Document as DescribedService,
  resolve,
  schemaCheck,
} from '../../../support/answers/answer-check.ts'
import { contentWith } from '../../../support/fakes.ts'
import { openHttp } from '../../../support/http/http-client.ts'

type Parameter = { name: string; in: string; required?: boolean; schema: object; example?: unknown }
type Operation = DescribedOperation & {
  summary?: string
  tags?: string[]
  deprecated?: boolean
  security?: unknown
  parameters?: Parameter[]
  requestBody?: {
    content: Record<
      string,
      { example: unknown; schema: { required: string[]; properties: object } }
    >
  }
}
type Document = DescribedService & {
  openapi: string
  info: { version: string }
  tags: { name: string }[]
  servers: unknown
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: object }
}

const read = async () => (await openApiDocument(openHttp().options)) as Document

function operationsOf({ paths }: Document): { endpoint: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      endpoint: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
}

const bodyOf = ({ paths }: Document, path: string) =>
  paths[path]?.['post']?.requestBody?.content['application/json']

describe('the OpenAPI document', () => {
  test('is what GET /openapi.json answers', async () => {
    const answer = await openHttp().get('/openapi.json')
    expect(answer.status).toBe(200)
    expect(answer.header('content-type')).toStartWith('application/json')
    expect(answer.body).toEqual(await read())
  })

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(await read()))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  test('says which OpenAPI and which Alibi, and names the public address as its server', async () => {
    const document = await read()
    expect(document.openapi).toStartWith('3.1')
    expect(document.info.version).toBe('1.0.0')
    expect(document.servers).toEqual([{ url: 'https://alibi.example' }])
    expect(JSON.stringify(document)).not.toContain('http://localhost')
  })

  test('has no key that an older generator does not read, and no note of its makers', async () => {
    const text = JSON.stringify(await read())
    expect(text).not.toContain('"patternProperties"')
    expect(text).not.toContain('"x-')
  })

  test('describes every endpoint but the files of pages and the sandbox', async () => {
    const document = await read()
    const endpoints = operationsOf(document).map(({ endpoint }) => endpoint)
    expect(endpoints.sort()).toEqual([
      'GET /',
      'GET /app',
      'GET /auth/check',
      'GET /docs',
      'GET /health',
      'GET /i18n',
      'GET /languages',
      'GET /openapi.json',
      'GET /payment/cancel',
      'GET /payment/success',
      'GET /premium-reasons',
      'GET /ready',
      'GET /robots.txt',
      'GET /sitemap.xml',
      'POST /auth/confirm-email',
      'POST /auth/login',
      'POST /auth/logout',
      'POST /auth/request-otp',
      'POST /auth/token',
      'POST /auth/verify-email',
      'POST /checkout',
      'POST /webhook/payment',
      'POST /webhook/stripe',
    ])
    const routes = createApp(openHttp().options)
      .routes.filter(({ path }) => !path.startsWith('/assets/'))
      .map(({ method, path }) => `${method} ${path}`)
    expect(routes.sort()).toEqual(endpoints)
  })

  test('gives every operation a name of its own, a summary, a known tag and its answers', async () => {
    const document = await read()
    const tags = document.tags.map(({ name }) => name)
    const names = new Set<string>()
    for (const { operation } of operationsOf(document)) {
      names.add(operation.operationId)
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
      expect(operation.summary).toBeString()
      expect(operation.tags).toHaveLength(1)
      expect(tags).toContain(operation.tags?.[0] ?? '')
      expect(Object.keys(operation.responses)).toContain('200')
    }
    expect(names.size).toBe(operationsOf(document).length)
  })

  test.each([
    ['/auth/verify-email', ['email'], ['email', 'lang']],
    ['/auth/request-otp', ['email'], ['email', 'lang']],
    ['/auth/confirm-email', ['email', 'code'], ['email', 'code', 'codeChallenge']],
    ['/auth/token', ['email', 'codeVerifier'], ['email', 'codeVerifier']],
    ['/auth/login', ['email', 'code'], ['email', 'code']],
    ['/checkout', ['email'], ['email', 'codeVerifier', 'lang']],
  ])('says what %s takes', async (path, required, fields) => {
    const body = bodyOf(await read(), path)
    expect(body?.schema.required).toEqual(required)
    expect(Object.keys(body?.schema.properties ?? {})).toEqual(fields)
  })

  test.each([
    ['/auth/login', 'post', ['200', '400', '401', '403', '413', '415', '429', '500', '503']],
    ['/auth/verify-email', 'post', ['200', '400', '413', '415', '429', '500', '503']],
    ['/checkout', 'post', ['200', '400', '403', '409', '413', '415', '429', '500', '503']],
    ['/premium-reasons', 'get', ['200', '400', '401', '403', '429', '500', '503']],
    ['/payment/success', 'get', ['200', '400', '404', '429', '500', '503']],
    ['/docs', 'get', ['200', '304', '500', '503']],
    ['/webhook/stripe', 'post', ['200', '400', '413', '500', '503']],
  ])('lists every status of %s', async (path, method, statuses) => {
    const responses = (await read()).paths[path]?.[method]?.responses ?? {}
    expect(Object.keys(responses)).toEqual(statuses)
  })

  test('lists 429 exactly where there is a rate limit', async () => {
    for (const [path, methods] of Object.entries((await read()).paths)) {
      for (const { responses } of Object.values(methods)) {
        expect('429' in responses).toBe(rulesOf(path).policy !== null)
      }
    }
  })

  test('quotes the errors word for word', async () => {
    const document = await read()
    const response = document.paths['/auth/login']?.['post']?.responses['403']
    const content = resolve(document, response!).content?.['application/json']
    expect(content?.schema).toEqual({ $ref: '#/components/schemas/PremiumAccessRequiredToLogIn' })
    expect(Object.values(content?.examples ?? {})).toEqual([
      {
        value: {
          error: 'Premium access required',
          message: 'You must purchase premium access to log in',
        },
      },
    ])
  })

  test('gives an example of every answer, body, parameter and header, and each fits its schema', async () => {
    const document = await read()
    const compile = schemaCheck(document)
    const wrong: string[] = []
    function expectFit(place: string, { schema, example }: { schema: object; example?: unknown }) {
      const problem = compile(schema)(example)
      if (problem !== null) wrong.push(`${place}: ${problem}`)
    }

    for (const { endpoint, operation } of operationsOf(document)) {
      for (const parameter of operation.parameters ?? []) {
        const { examples = [] } = parameter.schema as { examples?: unknown[] }
        expectFit(`${endpoint} ${parameter.name}`, { example: examples[0], ...parameter })
      }
      for (const body of Object.values(operation.requestBody?.content ?? {})) {
        expectFit(`${endpoint} body`, body)
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        const { content = {} } = resolve(document, response)
        for (const { schema, examples, example } of Object.values(content)) {
          const values = examples ? Object.values(examples).map(({ value }) => value) : [example]
          for (const value of values) {
            expectFit(`${endpoint} ${status}`, { schema, example: value })
          }
        }
      }
    }
    for (const [name, header] of Object.entries(document.components.headers)) {
      const { const: only } = header.schema as { const?: unknown }
      expectFit(`header ${name}`, { example: only, ...header })
    }
    expect(wrong).toEqual([])
  })

  test('asks for a bearer token exactly where one is needed, and says where one is taken', async () => {
    const document = await read()
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    })
    const secured = (security: unknown) =>
      operationsOf(document)
        .filter(({ operation }) => Bun.deepEquals(operation.security, security))
        .map(({ endpoint }) => endpoint)
        .sort()
    expect(secured([{ bearer: [] }])).toEqual([
      'GET /i18n',
      'GET /premium-reasons',
      'POST /auth/logout',
    ])
    expect(secured([{}, { bearer: [] }])).toEqual([
      'POST /auth/confirm-email',
      'POST /auth/login',
      'POST /auth/request-otp',
      'POST /auth/verify-email',
    ])
    expect(secured([])).toHaveLength(operationsOf(document).length - 7)
  })

  test('marks the legacy endpoints as deprecated, and no other', async () => {
    const deprecated = operationsOf(await read()).filter(({ operation }) => operation.deprecated)
    expect(deprecated.map(({ endpoint }) => endpoint).sort()).toEqual([
      'POST /auth/login',
      'POST /auth/request-otp',
    ])
  })

  test('says which query parameters and headers are needed', async () => {
    const { paths } = await read()
    expect(paths['/auth/check']?.['get']?.parameters).toMatchObject([
      { name: 'email', in: 'query', required: true },
    ])
    expect(paths['/i18n']?.['get']?.parameters).toMatchObject([
      { name: 'lang', in: 'query', required: false },
    ])
    expect(paths['/webhook/stripe']?.['post']?.parameters).toMatchObject([
      { name: 'Stripe-Signature', in: 'header', required: true },
    ])
  })

  test('leaves answers as they are: nothing is checked or stripped by it', async () => {
    const http = openHttp()
    const strings: object = { title: 5 }
    Object.assign(http.ports.content, contentWith({ strings: strings as Strings }))
    await http.givePremium()
    const headers = { authorization: `Bearer ${await http.tokenOf()}` }
    // Past the check of the tests, which would rightly refuse such an answer.
    const answer = await createApp(http.options).handle(
      new Request('http://localhost/i18n', { headers }),
    )
    expect(await answer.json()).toMatchObject({ strings: { title: 5 } })
  })
})
