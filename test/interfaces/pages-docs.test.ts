import { describe, expect, test } from 'bun:test'
import { expectDecentPage, visitor } from './page-visitor.ts'

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Alibi', version: '1.0.0', description: 'Sells <premium> access' },
  components: {
    schemas: {
      Refusal: {
        type: 'object',
        required: ['error'],
        properties: { error: { type: 'string' }, message: { type: 'string' } },
      },
      Loop: { type: 'object', properties: { next: { $ref: '#/components/schemas/Loop' } } },
    },
  },
  paths: {
    '/auth/confirm-email': {
      post: {
        tags: ['auth'],
        summary: 'Confirm an address',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['email'],
                properties: {
                  email: { type: 'string', description: 'An <address>' },
                  code: { anyOf: [{ type: 'string' }, { type: 'number' }] },
                },
              },
            },
          },
        },
        responses: {
          200: {
            description: 'Confirmed',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['success', 'languages'],
                  properties: {
                    success: { const: true },
                    languages: { type: 'array', items: { enum: ['en', 'sv'] } },
                    strings: { type: 'object', additionalProperties: { type: 'string' } },
                  },
                },
              },
            },
          },
          401: {
            description: 'Refused',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
          },
        },
      },
    },
    '/auth/login': { post: { tags: ['auth'], deprecated: true, responses: {} } },
    '/premium-reasons': {
      get: {
        tags: ['premium'],
        security: [{ bearer: [] }],
        parameters: [{ name: 'lang', in: 'query', schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Loop' } } },
          },
        },
      },
    },
  },
}

const openApiDocument = async () => DOCUMENT

/** What a person reads, entities included. */
function plain(text: string): string {
  return text.replace(/<[^>]*>/g, '').replace(/&quot;/g, '"')
}

describe('/docs', () => {
  test('is a decent page that loads nothing from elsewhere and runs nothing', async () => {
    const page = await visitor({ openApiDocument }).get('/docs')
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('<script')
    expectDecentPage(page)
  })

  test('lists every endpoint by method and path, and links to it', async () => {
    const { text } = await visitor({ openApiDocument }).get('/docs')
    for (const endpoint of [
      'POST /auth/confirm-email',
      'POST /auth/login',
      'GET /premium-reasons',
    ]) {
      expect(text).toContain(`<code>${endpoint}</code>`)
    }
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(`id="${id}"`)
  })

  test('shows parameters, bodies, responses, security and deprecation', async () => {
    const { text } = await visitor({ openApiDocument }).get('/docs')
    expect(text).toContain(
      '<td><code>email</code></td><td>application/json</td><td><code>string</code></td>',
    )
    expect(text).toContain('<td><code>code</code> (optional)</td>')
    expect(text).toContain('<td><code>lang</code> (optional)</td><td>query</td>')
    expect(text).toContain('<code>bearer</code>')
    expect(text.match(/Deprecated/g)).toHaveLength(1)
    expect(plain(text)).toContain('string | number')
    expect(plain(text)).toContain(
      '{ success: true, languages: ("en" | "sv")[], strings?: { [key]: string } }',
    )
    expect(plain(text)).toContain('{ error: string, message?: string }')
  })

  test('escapes what the document says', async () => {
    const { text } = await visitor({ openApiDocument }).get('/docs')
    expect(text).toContain('Sells &lt;premium&gt; access')
    expect(text).toContain('An &lt;address&gt;')
  })

  test.each([[null], [[]], ['text'], [{}], [{ paths: { '/x': null, '/y': { get: 3 } } }]])(
    'survives the strange document %p',
    async (document) => {
      const page = await visitor({ openApiDocument: async () => document }).get('/docs')
      expect(page.status).toBe(200)
    },
  )

  test('is made once, and not sent again to whoever has it', async () => {
    let made = 0
    const counting = async () => {
      made++
      return DOCUMENT
    }
    const { get } = visitor({ openApiDocument: counting })
    const { headers } = await get('/docs')
    const again = await get('/docs', { 'if-none-match': headers.get('etag')! })
    expect(again.status).toBe(304)
    expect(again.text).toBe('')
    expect(made).toBe(1)
  })

  test('is made anew after it could not be made', async () => {
    let isBroken = true
    const mending = async () => {
      if (isBroken) throw new Error('not yet')
      return DOCUMENT
    }
    const { get } = visitor({ openApiDocument: mending })
    expect((await get('/docs')).status).toBe(500)
    isBroken = false
    expect((await get('/docs')).status).toBe(200)
  })
})
