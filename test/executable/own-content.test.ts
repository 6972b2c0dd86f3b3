import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES } from '../../domain/language.ts'
import { writeContent } from '../support/content-folders.ts'
import { buyer, openProduction, type Production } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'

const EXIT_WRONG_SETTINGS = 78

const POEMS = {
  'en.json': {
    strings: { title: 'Poems', subtitle: 'A poem a day', generate: 'Give me a poem' },
    reasons: ['Rain on the roof.', 'A letter from nobody.'],
  },
  'fr.json': {
    strings: { title: 'Poèmes', subtitle: 'Un poème par jour', generate: 'Un poème' },
    reasons: ['La pluie sur le toit.', 'Une lettre de personne.'],
  },
}

/** A folder of the operator's own content; returns the settings that name it. */
function withContent(production: Production, files: Readonly<Record<string, unknown>>) {
  const folder = join(production.folder, 'content')
  mkdirSync(folder)
  writeContent(folder, files)
  return { ...production.settings, CONTENT_DIR: folder }
}

test('an operator sells something else: in the answers, on the pages and in the mails', async () => {
  await using production = await openProduction()
  const alibi = await production.start({ env: withContent(production, POEMS) })
  const email = 'reader@example.com'
  const { http, buy } = buyer(alibi, production, email)
  const { token } = await buy()

  const english: unknown[] = []
  for (let round = 0; round < 6; round += 1) {
    const { body } = await http.get('/premium-reasons?lang=fr', token)
    expect(body).toMatchObject({ language: 'fr', email })
    expect(POEMS['fr.json'].reasons).toContain(String(body['reason']))
    english.push((await http.get('/premium-reasons?lang=en', token)).body['reason'])
  }
  // Of two poems, a reader who gets none again before the other gets them in turn.
  expect(english.slice(2)).toEqual(english.slice(0, 4))
  expect(new Set(english).size).toBe(2)

  const inSwedish = await http.get('/premium-reasons?lang=sv', token)
  expect(inSwedish.body).toMatchObject({ language: 'en' })
  expect(POEMS['en.json'].reasons).toContain(String(inSwedish.body['reason']))
  expect((await http.get('/i18n?lang=fr', token)).body).toMatchObject({
    strings: POEMS['fr.json'].strings,
    language: 'fr',
    supportedLanguages: ['en', 'fr'],
  })
  expect((await http.get('/languages')).body['languages']).toEqual([...LANGUAGES])

  const headers = { 'accept-language': 'sv, fr;q=0.5' }
  const page = await (await fetch(`${alibi.url}/app`, { headers })).text()
  expect(page).toContain('<html lang="fr"')
  expect(page).toContain('<span data-word="title">Poèmes</span>')
  const offered = [...page.matchAll(/<option value="(\w+)"/g)].map(([, language]) => language)
  expect(offered).toEqual(['en', 'fr'])

  await http.post('/auth/verify-email', { email: 'mail@example.com', lang: 'fr' })
  const mail = production.mailbox.mails.find(({ to }) => to === 'mail@example.com')
  expect(mail?.subject).toContain('Poèmes')
  for (const said of [page, JSON.stringify(production.mailbox.mails.map(({ text }) => text))]) {
    expect(said.replaceAll('alibi.example', '')).not.toMatch(/alibi/i)
  }
})

test('an operator names what the content is for, and what may be read without paying', async () => {
  await using production = await openProduction()
  const tags = { occasion: 'birthday', to: ['poets', 'work'], tone: 'plain' }
  const alibi = await production.start({
    env: withContent(production, {
      'en.json': {
        strings: { ...POEMS['en.json'].strings, occasion_birthday: 'A birthday' },
        reasons: [
          { text: 'A cake.', ...tags },
          { text: 'Rain on the roof.', to: 'friends', sample: true },
          { text: 'An umbrella.', needs: 'umbrella', to: 'friends' },
        ],
      },
    }),
  })
  const { http, buy } = buyer(alibi, production, 'poet@example.com')
  const { token } = await buy()
  const read = async (query: string) => {
    const { body, status } = await http.get(`/premium-reasons?${query}`, token)
    return status === 200 ? [body['reason'], body['widened']] : [status, body['error']]
  }
  expect(await read('occasion=birthday&to=poets')).toEqual(['A cake.', undefined])
  expect(await read('to=friends&without=umbrella')).toEqual(['Rain on the roof.', undefined])
  expect(await read('occasion=birthday&tone=playful&length=short')).toEqual([
    'A cake.',
    ['length', 'tone'],
  ])
  expect(await read('to=critics')).toEqual([400, 'Invalid request'])

  const page = await (await fetch(`${alibi.url}/app`)).text()
  expect(page).toContain('value="birthday"><span data-word="occasion_birthday">A birthday</span>')
  expect(page).toContain('value="poets"><span>poets</span>')
  expect(page).not.toContain('value="decline"')
  expect(page).toMatch(/id="sample">\s*<p data-word="sample_0" class="current">Rain on the roof\.</)
  expect(page).not.toMatch(/A cake|umbrella/)
  const described = await (await fetch(`${alibi.url}/openapi.json`)).text()
  expect(described).toContain('"enum":["friends","family","work","date","poets"]')

  const confirmation = () =>
    production.mailbox.mails.find(({ subject }) => subject.includes('payment'))
  await until('the confirmation has come', () => confirmation() !== undefined)
  expect(confirmation()?.text).toContain('Rain on the roof.')
})

test('what cannot be served is told by file, language and line, together with every wrong setting', async () => {
  await using production = await openProduction()
  const env = withContent(production, {
    'en.json': { strings: { title: 'Poems' }, reasons: ['Rain.', ''] },
    'fr.json': { strings: { title: 'P'.repeat(31) }, reasons: ['Pluie.'] },
    'pt-BR.json': {},
  })
  const outcome = await production.run(['serve'], { ...env, PORT: 'bad' })
  expect(outcome).toMatchObject({ exitCode: EXIT_WRONG_SETTINGS, stdout: '' })
  expect(outcome.stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^alibi: PORT must be ./),
    expect.stringMatching(/^alibi: CONTENT_DIR: pt-BR\.json: no name of a content file/),
    'alibi: CONTENT_DIR: en.json:7 (en): the text is empty',
    'alibi: CONTENT_DIR: fr.json:3 (fr): strings.title: 31 characters, at most 30',
  ])
})

test('a folder that is not there is a wrong setting', async () => {
  await using production = await openProduction()
  const env = { ...production.settings, CONTENT_DIR: join(production.folder, 'nowhere') }
  const outcome = await production.run(['serve'], env)
  expect(outcome).toMatchObject({
    exitCode: EXIT_WRONG_SETTINGS,
    stdout: '',
    stderr: 'alibi: CONTENT_DIR: the folder: it cannot be read (ENOENT)\n',
  })
})

test('slips are served, and printed by "content check"', async () => {
  await using production = await openProduction()
  const reasons = Array.from({ length: 25 }, (_, index) => `It's number ${index}.`)
  const env = withContent(production, { 'en.json': { reasons } })
  const alibi = await production.start({ env })
  expect((await client(alibi.url).get('/ready')).status).toBe(200)

  const folder = env.CONTENT_DIR
  const checked = await production.run(['content', 'check', folder], {})
  expect(checked).toMatchObject({ exitCode: 0, stderr: '' })
  const lines = checked.stdout.trimEnd().split('\n')
  expect(lines[2]).toContain('the built-in words speak of excuses')
  expect(lines[3]).toContain('en.json:3 (en): a typewriter’s quotation mark or apostrophe')
  expect((await production.run(['content', 'check', folder, '--strict'], {})).exitCode).toBe(1)
})

test('"content check" fails for a folder that serve would refuse', async () => {
  await using production = await openProduction()
  const { CONTENT_DIR: folder } = withContent(production, { 'en.json': { reasons: [''] } })
  const { exitCode, stdout } = await production.run(['content', 'check', folder], {})
  expect(exitCode).toBe(1)
  expect(stdout).toContain('error: en.json:3 (en): the text is empty')

  const missing = await production.run(['content', 'check', '/nowhere/at all'], {})
  expect(missing).toMatchObject({ exitCode: 1, stderr: '' })
  expect(missing.stdout).toContain('error: the folder: it cannot be read (ENOENT)\n')
})

test('the operator’s commands work with content that is being mended', async () => {
  await using production = await openProduction()
  const env = withContent(production, { 'en.json': '{"reasons": [' })
  expect((await production.run(['migrate'], env)).exitCode).toBe(0)
  expect((await production.run(['status', 'ada@example.com'], env)).exitCode).toBe(0)
  expect((await production.run(['reconcile'], env)).exitCode).toBe(0)
})
