import { describe, expect, test } from 'bun:test'
import type { Strings } from '../../application/strings.ts'
import { openApiDocument } from '../../interfaces/http/openapi.ts'
import { contentWith } from '../fakes.ts'
import { openHttp } from './http-client.ts'

type Operation = {
  summary?: string
  tags?: string[]
  deprecated?: boolean
  security?: unknown
  parameters?: { name: string; in: string; required: boolean }[]
  requestBody?: { content: Record<string, { schema: { required: string[]; properties: object } }> }
  responses: Record<string, { content: Record<string, { schema: unknown; examples?: object }> }>
}
type Document = {
  openapi: string
  info: { version: string }
  servers?: unknown
  paths: Record<string, Record<string, Operation>>
  components: { schemas: { Error: unknown }; securitySchemes: object }
}

const read = async () => (await openApiDocument(openHttp().options)) as Document

describe('the OpenAPI document', () => {
  test('is what GET /openapi.json answers', async () => {
    const answer = await openHttp().get('/openapi.json')
    expect(answer.status).toBe(200)
    expect(answer.header('content-type')).toStartWith('application/json')
    expect(answer.body).toEqual(await read())
  })

  test('says which OpenAPI and which Alibi, and names no server', async () => {
    const document = await read()
    expect(document.openapi).toStartWith('3.')
    expect(document.info.version).toBe('1.0.0')
    expect(document.servers).toBeUndefined()
    expect(JSON.stringify(document)).not.toContain('http://localhost')
  })

  test('describes every endpoint', async () => {
    const { paths } = await read()
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(operations.sort()).toEqual([
      'GET /',
      'GET /auth/check',
      'GET /health',
      'GET /i18n',
      'GET /languages',
      'GET /payment/cancel',
      'GET /payment/success',
      'GET /premium-reasons',
      'GET /ready',
      'POST /auth/confirm-email',
      'POST /auth/login',
      'POST /auth/logout',
      'POST /auth/request-otp',
      'POST /auth/verify-email',
      'POST /checkout',
      'POST /webhook/stripe',
    ])
  })

  test('gives every operation a summary, a tag and its answers', async () => {
    for (const methods of Object.values((await read()).paths)) {
      for (const { summary, tags, responses } of Object.values(methods)) {
        expect(summary).toBeString()
        expect(tags).toHaveLength(1)
        expect(Object.keys(responses)).toContain('200')
      }
    }
  })

  test.each([
    ['/auth/verify-email', ['email'], ['email', 'lang']],
    ['/auth/request-otp', ['email'], ['email', 'lang']],
    ['/auth/confirm-email', ['email', 'code'], ['email', 'code']],
    ['/auth/login', ['email', 'code'], ['email', 'code']],
    ['/checkout', ['email'], ['email', 'lang']],
  ])('says what %s takes', async (path, required, fields) => {
    const content = (await read()).paths[path]?.['post']?.requestBody?.content
    expect(Object.keys(content ?? {})).toEqual(['application/json'])
    const schema = content?.['application/json']?.schema
    expect(schema?.required).toEqual(required)
    expect(Object.keys(schema?.properties ?? {})).toEqual(fields)
  })

  test.each([
    ['/auth/login', 'post', ['200', '400', '401', '403', '413', '415', '429', '500', '503']],
    ['/auth/verify-email', 'post', ['200', '400', '413', '415', '429', '500', '503']],
    ['/checkout', 'post', ['200', '400', '403', '409', '413', '415', '429', '500', '503']],
    ['/premium-reasons', 'get', ['200', '401', '403', '429', '500', '503']],
    ['/webhook/stripe', 'post', ['200', '400', '413', '500', '503']],
  ])('lists every status of %s', async (path, method, statuses) => {
    const responses = (await read()).paths[path]?.[method]?.responses ?? {}
    expect(Object.keys(responses)).toEqual(statuses)
    for (const [status, { content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      expect(content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
    }
  })

  test('quotes the errors word for word', async () => {
    const { paths } = await read()
    const examples = paths['/auth/login']?.['post']?.responses['403']?.content['application/json']
    expect(Object.values(examples?.examples ?? {})).toEqual([
      {
        value: {
          error: 'Premium access required',
          message: 'You must purchase premium access to log in',
        },
      },
    ])
  })

  test('asks for a bearer token exactly where one is needed', async () => {
    const { paths, components } = await read()
    expect(components.securitySchemes).toEqual({
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    })
    const guarded = Object.entries(paths)
      .filter(([, methods]) => Object.values(methods).some(({ security }) => security))
      .map(([path]) => path)
    expect(guarded.sort()).toEqual(['/auth/logout', '/i18n', '/premium-reasons'])
  })

  test('marks the legacy endpoints as deprecated, and no other', async () => {
    const deprecated = Object.entries((await read()).paths)
      .filter(([, methods]) => Object.values(methods).some((operation) => operation.deprecated))
      .map(([path]) => path)
    expect(deprecated.sort()).toEqual(['/auth/login', '/auth/request-otp'])
  })

  test('says which query parameters are needed', async () => {
    const { paths } = await read()
    expect(paths['/auth/check']?.['get']?.parameters).toMatchObject([
      { name: 'email', in: 'query', required: true },
    ])
    expect(paths['/i18n']?.['get']?.parameters).toMatchObject([
      { name: 'lang', in: 'query', required: false },
    ])
  })

  test('leaves answers as they are: nothing is checked or stripped by it', async () => {
    const http = openHttp()
    const strings: object = { title: 5 }
    Object.assign(http.ports.content, contentWith({ strings: strings as Strings }))
    await http.givePremium()
    const authorization = `Bearer ${await http.tokenOf()}`
    expect((await http.get('/i18n', { authorization })).body).toMatchObject({
      strings: { title: 5 },
    })
  })
})
