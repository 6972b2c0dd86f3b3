import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES } from '../../domain/language.ts'
import type { OtpCode } from '../../domain/otp.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { otpEmailWriter } from '../../infrastructure/mail/otp-email.ts'
import { paymentEmail } from '../../infrastructure/mail/payment-email.ts'
import { ENDPOINTS } from '../../interfaces/http/openapi/endpoints.ts'
import { ASSETS, assetAnswer } from '../../interfaces/http/pages/assets.ts'
import packageJson from '../../package.json'
import {
  buyer,
  deliverAll,
  openProduction,
  type Production,
} from '../support/executable/production.ts'
import { carriedOut } from '../support/executable/stored.ts'
import { textsOf } from '../support/fakes.ts'
import { client } from '../support/http/client.ts'
import { type AlibiProcess, runAlibi } from '../support/service/alibi-process.ts'

/*
 * The executable copied into a folder in which somebody has laid traps: settings files and a preload script that Bun
 * obeys by default, and packages of the same names as those it carries.
 */

const MARKER = 'sprung'
const SPRING = `require('node:fs').writeFileSync(${JSON.stringify(MARKER)}, '')\n`
const HOSTILE_SETTINGS = [
  'APP_ENV=development',
  'PORT=1',
  'PUBLIC_URL=https://hostile.example',
  'DATABASE_URL=sqlite:hostile.db',
  'RATE_LIMIT_GENERAL=1/1m',
  'LOG_LEVEL=error',
].join('\n')
const PACKAGES = ['elysia', 'stripe', 'resend', 'drizzle-orm']

const content = builtInContent()
let production: Production
let alibi: AlibiProcess
let folder: string
let trapped: readonly string[]

function layTraps(where: string) {
  mkdirSync(where)
  for (const name of ['.env', '.env.local', '.env.production', '.env.development']) {
    writeFileSync(join(where, name), HOSTILE_SETTINGS)
  }
  writeFileSync(join(where, 'bunfig.toml'), 'preload = ["./preload.js"]\nlogLevel = "debug"\n')
  writeFileSync(join(where, 'preload.js'), SPRING)
  writeFileSync(join(where, 'package.json'), '{ "name": "hostile", "version": "6.6.6" }')
  writeFileSync(
    join(where, 'tsconfig.json'),
    '{ "compilerOptions": { "paths": { "*": ["./preload.js"] } } }',
  )
  for (const name of PACKAGES) {
    mkdirSync(join(where, 'node_modules', name), { recursive: true })
    writeFileSync(join(where, 'node_modules', name, 'index.js'), SPRING)
  }
}

beforeAll(async () => {
  production = await openProduction()
  folder = join(production.folder, 'trapped')
  layTraps(folder)
  copyFileSync(production.executable, join(folder, 'alibi'))
  trapped = readdirSync(folder, { recursive: true }).map(String).toSorted()
  alibi = await production.start({ command: ['./alibi'], cwd: folder })
})

afterAll(() => production[Symbol.asyncDispose]())

describe('in a folder full of traps', () => {
  test('the traps are real: an executable that Bun makes by default springs them', async () => {
    const elsewhere = join(production.folder, 'control')
    layTraps(elsewhere)
    const source = join(production.folder, 'print.js')
    writeFileSync(source, 'console.log(process.env.APP_ENV)')
    const build = [process.execPath, 'build', source, '--compile', '--outfile', 'print']
    const cwd = production.folder
    expect(await runAlibi({ command: build, cwd })).toMatchObject({ exitCode: 0 })

    const outcome = await runAlibi({ command: [join(cwd, 'print')], cwd: elsewhere })
    expect(outcome.stdout).toBe('development\n')
    expect(existsSync(join(elsewhere, MARKER))).toBe(true)
  })

  test.each([[[]], [['version']], [['openapi']], [['migrate']], [['healthcheck']], [['serve']]])(
    'no command springs one: %j',
    async (parameters) => {
      const command = ['./alibi', ...parameters]
      // Without settings `serve` says what is missing, which the planted ones would have given.
      const outcome = await runAlibi({ command, cwd: folder, env: settingsOf(parameters[0]) })
      expect(outcome.exitCode).toBe(parameters[0] === 'serve' ? 78 : 0)
      expect(existsSync(join(folder, MARKER))).toBe(false)
    },
  )

  test('settings, version and log are those of the executable and its environment', async () => {
    const answer = await client(alibi.url).get('/')
    expect(answer.body).toEqual({
      name: 'Alibi',
      version: packageJson.version,
      status: 'running',
      endpoints: ENDPOINTS,
    })
    expect(alibi.output()).toContain('"publicUrl":"https://alibi.example"')
  })
})

function settingsOf(command: string | undefined): Record<string, string> {
  if (command === 'migrate') return { DATABASE_URL: production.settings.DATABASE_URL }
  if (command === 'healthcheck') return { PORT: new URL(alibi.url).port }
  return {}
}

describe('by itself it serves', () => {
  test('whether it lives and is ready', async () => {
    const http = client(alibi.url)
    expect(await http.get('/health')).toMatchObject({ status: 200, body: { status: 'alive' } })
    expect(await http.get('/ready')).toMatchObject({ status: 200, body: { status: 'ready' } })
  })

  test('the languages', async () => {
    expect((await client(alibi.url).get('/languages')).body).toEqual({
      languages: [...LANGUAGES],
      default: 'en',
    })
  })

  test('the description of every endpoint', async () => {
    const { body } = await client(alibi.url).get('/openapi.json')
    const paths = body['paths'] as Record<string, Record<string, unknown>>
    for (const endpoint of Object.values(ENDPOINTS).flatMap((group) => Object.keys(group))) {
      const [method = '', path = ''] = endpoint.split(' ')
      expect(paths[path]).toHaveProperty(method.toLowerCase())
    }
  })

  test.each(['/app', '/docs', '/payment/cancel'])(
    'the page %s and all that it loads',
    async (path) => {
      const page = await client(alibi.url).get(path)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const loaded = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
        ([, one]) => one,
      )
      expect(loaded).not.toEqual([])
      for (const address of loaded) {
        expect((await client(alibi.url).get(String(address))).status).toBe(200)
      }
    },
  )

  test.each(Object.entries(ASSETS))('the asset %s, as the sources make it', async (name, asset) => {
    const request = new Request(`${alibi.url}/assets/${name}`)
    const made = await assetAnswer(asset(), request).text()
    expect(made.length).toBeGreaterThan(100)
    expect(await (await fetch(request)).text()).toBe(made)
  })

  test.each(LANGUAGES)('pages in the browser’s language: %s', async (language) => {
    for (const path of ['/payment/cancel', '/payment/success', '/app']) {
      const headers = { 'accept-language': language }
      const page = await (await fetch(alibi.url + path, { headers })).text()
      expect(page).toContain(`lang="${language}"`)
    }
  })

  test.each(LANGUAGES)('mails in %s', async (language) => {
    const email = `mail-${language}@example.com`
    await client(alibi.url).post('/auth/verify-email', { email, lang: language })
    const mail = production.mailbox.mails.find(({ to }) => to === email)
    expect(mail).toMatchObject(
      otpEmailWriter({ content, host: 'alibi.example' })({
        code: production.mailbox.latestCode(email) as OtpCode,
        language,
        validForMs: 600_000,
      }),
    )
  })

  test('confirmations of a payment in all languages, each once', async () => {
    const { double, mailbox } = production
    const emails = LANGUAGES.map((language) => `paid-${language}@example.com`)
    for (const [index, language] of LANGUAGES.entries()) {
      const { prove, checkOut } = buyer(alibi, production, emails[index]!)
      await prove()
      double.pay((await checkOut(language)).sessionId)
    }
    await deliverAll(production)
    await carriedOut(production)

    for (const [index, language] of LANGUAGES.entries()) {
      const to = emails[index]!
      const mails = mailbox.delivered.filter((mail) => mail.to === to && mail.key !== null)
      const amount = { amount: 400, currency: 'eur' }
      const notice = { kind: 'payment_confirmed', amount } as const
      const spoken = content.in(language)
      expect(mails).toMatchObject([
        paymentEmail(notice, { publicUrl: 'https://alibi.example', content: spoken }),
      ])
    }
  })

  test('excuses and the words of the interface in all languages', async () => {
    const { http, buy } = buyer(alibi, production, 'reader@example.com')
    const { token } = await buy()
    for (const language of LANGUAGES) {
      const words = await http.get(`/i18n?lang=${language}`, token)
      expect(words.body).toEqual({
        strings: content.in(language).strings,
        language,
        supportedLanguages: [...LANGUAGES],
      })
      const excuse = await http.get(`/premium-reasons?lang=${language}`, token)
      expect(excuse.body).toMatchObject({ language, email: 'reader@example.com' })
      expect(textsOf(content.in(language))).toContain(String(excuse.body['reason']))
    }
  })

  test('nothing of development', async () => {
    const http = client(alibi.url)
    const mailed = await http.post('/auth/verify-email', { email: 'nobody@example.com' })
    expect(mailed.body).toEqual({ success: true, message: expect.any(String) })
    expect((await http.get('/sandbox/cs_test_1')).status).toBe(404)
  })

  test('and leaves nothing behind where it stands', async () => {
    expect(await alibi.stop()).toBe(0)
    const left = readdirSync(folder, { recursive: true }).map(String).toSorted()
    expect(left).toEqual([...trapped])
    expect(readdirSync(production.state)).toEqual(['alibi.db'])
  })
})
