import { describe, expect, test } from 'bun:test'
import { openHttp } from '../../../../support/http/http-client.ts'
import { expectDecentPage, visitor } from '../../../../support/http/page-visitor.ts'

const SCRIPT_BYTES_MAX = 6_000

const COMMON = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Alibi', version: '1.0.0', description: 'Sells <premium> access.\n\nTo `you`.' },
  tags: [
    { name: 'premium', description: 'What is sold.' },
    { name: 'auth', description: 'Who is who.' },
  ],
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token.' },
    },
    headers: {
      'X-Request-Id': { description: 'Names the request.', required: true, schema: {} },
      'Retry-After': { description: 'When to come back.', schema: { type: 'integer' } },
    },
    responses: {
      TooMany: {
        description: 'Too many',
        headers: { ...COMMON, 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Refusal' },
            examples: { TooMany: { value: { error: 'Too many' } } },
          },
        },
      },
    },
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
                  email: { type: 'string', format: 'email', description: 'An <address>' },
                  lang: { type: 'string' },
                },
              },
              example: { email: 'o\'hara"@example.com', lang: 'fr' },
            },
          },
        },
        responses: {
          200: {
            description: 'Confirmed',
            headers: COMMON,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['success', 'languages'],
                  properties: {
                    success: { const: true },
                    code: { anyOf: [{ type: 'string' }, { type: 'number' }] },
                    languages: { type: 'array', items: { enum: ['en', 'sv'] } },
                    strings: { type: 'object', additionalProperties: { type: 'string' } },
                  },
                },
                example: { success: true, languages: ['en'] },
              },
            },
          },
          429: { $ref: '#/components/responses/TooMany' },
        },
      },
    },
    '/auth/login': {
      post: { tags: ['auth'], deprecated: true, security: [{}, { bearer: [] }], responses: {} },
    },
    '/premium-reasons/{kind}': {
      get: {
        tags: ['premium'],
        security: [{ bearer: [] }],
        parameters: [
          { name: 'kind', in: 'path', required: true, schema: {}, example: 'for work!' },
          { name: 'lang', in: 'query', schema: { type: 'string', examples: ['sv'] } },
          { name: 'choice', in: 'cookie', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'ok',
            headers: COMMON,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Loop' } } },
          },
        },
      },
    },
  },
}

const openApiDocument = () => DOCUMENT

async function read(document: () => unknown = openApiDocument): Promise<string> {
  return (await visitor({ openApiDocument: document }).get('/docs')).text
}

/** What a person reads, entities included. */
function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** What the page has from one heading to the next of its kind. */
function sectionOf(text: string, id: string): string {
  const [, ...after] = text.split(`id="${id}"`)
  return after.join('').split(/<h[23] /)[0] ?? ''
}

describe('/docs', () => {
  test('is a decent page whose one script is its own', async () => {
    const page = await visitor({ openApiDocument }).get('/docs')
    expect(page.status).toBe(200)
    expect(page.text.match(/<script/g)).toHaveLength(1)
    expect(page.headers.get('content-security-policy')).toContain(
      "script-src 'self'; connect-src 'self'",
    )
    expect(page.headers.get('content-security-policy')).toContain("form-action 'none'")
    expectDecentPage(page)
  })

  test('leads to every operation, and every link on the page leads somewhere', async () => {
    const text = await read()
    const [contents = ''] = /<nav.*<\/nav>/s.exec(text) ?? []
    for (const endpoint of ['POST /auth/confirm-email', 'POST /auth/login']) {
      expect(contents).toContain(`<code>${endpoint}</code>`)
    }
    const targets = Array.from(text.matchAll(/href="#([^"]+)"/g), ([, id]) => id)
    expect(targets).toContain('post-auth-confirm-email')
    for (const id of targets) expect(text).toContain(` id="${id}"`)
    const ids = Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id!)
    expect(ids).toHaveLength(new Set(ids).size)
  })

  test('orders the chapters as the document orders its tags', async () => {
    const text = await read()
    expect(text.indexOf('What is sold.')).toBeLessThan(text.indexOf('Who is who.'))
  })

  test('tells what a request holds, with an example', async () => {
    const confirm = plain(sectionOf(await read(), 'post-auth-confirm-email'))
    expect(confirm).toContain('Confirm an address')
    expect(confirm).toContain('lang optional')
    expect(confirm).toContain('Format email')
    expect(confirm).toContain('"lang": "fr"')
    expect(plain(sectionOf(await read(), 'get-premium-reasons-kind'))).toContain(
      'lang query, optional',
    )
  })

  test('tells what answers hold: types, examples, and the headers that not all have', async () => {
    const text = await read()
    const confirm = plain(sectionOf(text, 'post-auth-confirm-email'))
    for (const words of [
      'string | number',
      '("en" | "sv")[]',
      '{ [key]: string }',
      'When to come back.',
    ]) {
      expect(confirm).toContain(words)
    }
    expect(confirm).toContain('"success": true')
    expect(confirm).toContain('"error": "Too many"')
    expect(confirm).not.toContain('X-Request-Id')
    expect(sectionOf(text, 'headers')).toContain('Names the request.')
    expect(text.match(/Deprecated/g)).toHaveLength(1)
  })

  test('tells how to authenticate, which errors there are, and what is counted', async () => {
    const text = await read()
    const authentication = sectionOf(text, 'authentication')
    expect(plain(authentication)).toContain('bearer: HTTP scheme bearer (JWT)')
    const [needed, taken] = authentication.split('Taken by:')
    expect(needed).toContain('href="#get-premium-reasons-kind"')
    expect(needed).not.toContain('href="#post-auth-login"')
    expect(taken).toContain('href="#post-auth-login"')
    expect(taken).not.toContain('href="#get-premium-reasons-kind"')
    expect(authentication).not.toContain('href="#post-auth-confirm-email"')
    expect(plain(sectionOf(text, 'errors'))).toContain('429{ "error": "Too many" }')
    const limits = sectionOf(text, 'rate-limits')
    expect(limits).toContain('Retry-After')
    expect(limits).toContain('href="#post-auth-login"')
    expect(limits).not.toContain('href="#post-auth-confirm-email"')
  })

  test('shows each request as a line for the shell, in which nothing of a value is special', async () => {
    const text = await read()
    expect(plain(sectionOf(text, 'post-auth-confirm-email'))).toContain(
      [
        'curl "$ALIBI/auth/confirm-email" \\',
        "  -H 'Content-Type: application/json' \\",
        `  --data-raw '{"email":"o'\\''hara\\"@example.com"}'`,
      ].join('\n'),
    )
    expect(plain(sectionOf(text, 'get-premium-reasons-kind'))).toContain(
      'curl "$ALIBI/premium-reasons/for%20work%21" \\\n  -H "Authorization: Bearer $TOKEN"',
    )
  })

  test('has a labelled field for all that a page can send, filled in where it is needed', async () => {
    const text = await read()
    const reasons = sectionOf(text, 'get-premium-reasons-kind')
    const fields = Array.from(reasons.matchAll(/<input [^>]*>/g), ([field]) => field)
    expect(fields.map((field) => / name="([^"]+)"/.exec(field)?.[1])).toEqual([
      'token',
      'kind',
      'lang',
    ])
    expect(fields[1]).toContain(' value="for work!"')
    expect(fields[2]).toContain(' value="" placeholder="sv"')
    for (const field of fields) {
      const [, id] = / id="([^"]+)"/.exec(field) ?? []
      expect(reasons).toContain(`<label for="${id}">`)
    }
  })

  test('tells a token that is needed from one that is only taken', async () => {
    const text = await read()
    const reasons = sectionOf(text, 'get-premium-reasons-kind')
    expect(plain(reasons)).toContain('Needs bearer.')
    expect(reasons).toMatch(/<input [^>]* name="token" [^>]*required/)

    const logIn = sectionOf(text, 'post-auth-login')
    expect(plain(logIn)).toContain('Takes bearer, and does without.')
    expect(plain(logIn)).not.toContain('Authorization')
    expect(logIn).toMatch(/<input [^>]* name="token" /)
    expect(logIn).not.toMatch(/<input [^>]* name="token" [^>]*required/)
  })

  test('promises nothing without a script that only the script can keep', async () => {
    const text = await read()
    expect(text.match(/<form /g)?.length).toBe(3)
    expect(text.match(/<details class="run" data-scripted hidden>/g)?.length).toBe(3)
    for (const [button] of text.matchAll(/<button[^>]*data-copy[^>]*>/g)) {
      expect(button).toContain(' data-scripted hidden')
    }
  })

  test('escapes what the document says', async () => {
    const text = await read()
    expect(text).toContain('Sells &lt;premium&gt; access')
    expect(text).toContain('<p>To <code>you</code>.</p>')
    expect(text).toContain('An &lt;address&gt;')
  })

  test.each([
    [null],
    [[]],
    ['text'],
    [{}],
    [{ paths: { '/x': null, '/y': { get: 3 } }, tags: 3, components: [] }],
    [
      {
        paths: { '/x': { post: { requestBody: 3, responses: { 200: null, x: { content: 3 } } } } },
      },
    ],
    [
      {
        paths: { '/x': { get: { parameters: [null, {}], responses: { 400: { $ref: '#/no' } } } } },
      },
    ],
  ])('survives the strange document %j', async (document) => {
    const page = await visitor({ openApiDocument: () => document }).get('/docs')
    expect(page.status).toBe(200)
  })

  test('has a script that is quickly there', async () => {
    const { text } = await visitor().get('/assets/docs.js')
    expect(text.length).toBeLessThan(SCRIPT_BYTES_MAX)
  })

  test('is made once, and not sent again to a client that has it', async () => {
    let made = 0
    const counting = () => {
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

  test('is made again after it could not be made', async () => {
    let isBroken = true
    const mending = () => {
      if (isBroken) throw new Error('not yet')
      return DOCUMENT
    }
    const { get } = visitor({ openApiDocument: mending })
    expect((await get('/docs')).status).toBe(500)
    isBroken = false
    expect((await get('/docs')).status).toBe(200)
  })

  test('describes every operation of the real document', async () => {
    const { get } = openHttp()
    const { paths } = (await get('/openapi.json')).body as { paths: Record<string, object> }
    const { text } = await get('/docs')
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations)) {
        expect(text).toContain(`data-method="${method.toUpperCase()}" data-path="${path}"`)
      }
    }
  })
})

describe('/openapi.json', () => {
  test('may be cached, is asked for again each time, and is not sent again to a client that has it', async () => {
    const { get } = openHttp()
    const first = await get('/openapi.json')
    expect(first.status).toBe(200)
    expect(first.header('content-type')).toBe('application/json')
    expect(first.header('cache-control')).toBe('public, no-cache')
    const again = await get('/openapi.json', { 'if-none-match': first.header('etag')! })
    expect(again).toMatchObject({ status: 304, text: '' })
  })

  test('is compressed for a client that can read that', async () => {
    const { handler } = openHttp()
    const request = new Request('http://localhost/openapi.json', {
      headers: { 'accept-encoding': 'gzip' },
    })
    const response = await handler(request, () => null)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const plainText = new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()))
    expect(JSON.parse(plainText)).toHaveProperty('openapi')
  })
})
