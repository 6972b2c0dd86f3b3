import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseCommandLine } from '../interfaces/cli/command-line.ts'
import { EXIT } from '../interfaces/cli/exit-codes.ts'
import manifest from '../package.json'
import { commandsPage } from '../release/commands-page.ts'
import {
  load,
  namesRead,
  PRODUCTION,
  problemsOf,
  type Variables,
} from './support/config-loading.ts'
import {
  anchorsOf,
  blocksOf,
  codeOf,
  codeSpansOf,
  type Document,
  linksOf,
  proseOf,
  ROOT,
  readDocuments,
  readFile,
  rowsOf,
} from './support/documents.ts'

const documents = await readDocuments()
const named = (file: string) => documents.find((one) => one.file === file)!

/** Goes with a release; links in it must lead to such files only. */
const RELEASED = /^(?:README\.md|docs\/.+|operations\/(?!install\.sh$).+)$/
const TOP_FOLDERS =
  'domain|application|infrastructure|interfaces|operations|release|docs|test|\\.ci'
const REPOSITORY_PATH = new RegExp(`^(?:${TOP_FOLDERS})(?:/[\\w.*-]+)*/?$|^[A-Z]+\\.md$`)
/** As a person types it: up to what a shell or a sentence puts behind it. */
const ALIBI_LINE = /(?<![\w./@-])(?:\.\/)?alibi ((?:[a-z…]|--)[^\n`"#|>;&)]*)/g
const SCRIPT_LINE = /\b(?:npm|bun) run ([\w:./-]+)|\bnpm (start|test)\b/g
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  EMAIL: 'anna@example.com',
  ID: 'pur_1',
  COMMAND: 'serve',
  SHELL: 'bash',
  DURATION: '30d',
}

/** All that `find` finds wrong with the pages, with the file in front. */
function wrongIn(find: (document: Document) => readonly string[]): string[] {
  return documents.flatMap((document) => find(document).map((one) => `${document.file}: ${one}`))
}

describe('the documents', () => {
  test('link to files and headings that are there', () => {
    const isBroken = (from: Document, link: string) => {
      if (/^https?:/.test(link)) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? from.file : path.join(path.dirname(from.file), file)
      if (!existsSync(path.join(ROOT, target))) return true
      return anchor !== undefined && !anchorsOf(named(target)).has(anchor)
    }
    expect(wrongIn((one) => linksOf(one).filter((link) => isBroken(one, link)))).toEqual([])
  })

  test('of a release link to nothing that is not in it', () => {
    const leadsOut = (from: Document, link: string) =>
      !/^(?:https?:|#)/.test(link) &&
      !RELEASED.test(path.join(path.dirname(from.file), link.replace(/#.*/, '')))
    const released = (one: Document) => (RELEASED.test(one.file) ? linksOf(one) : [])
    expect(wrongIn((one) => released(one).filter((link) => leadsOut(one, link)))).toEqual([])
  })

  test('name files and folders that are there, or that a run makes', async () => {
    const made = (await readFile('.gitignore')).split('\n')
    const isMissing = (name: string) =>
      name.includes('*')
        ? [...new Bun.Glob(name).scanSync({ cwd: ROOT })].length === 0
        : !existsSync(path.join(ROOT, name)) && !made.includes(name)
    expect(
      wrongIn((one) => codeSpansOf(one).filter((s) => REPOSITORY_PATH.test(s) && isMissing(s))),
    ).toEqual([])
  })

  test('name functions and types in the files that have them', async () => {
    const wrong: string[] = []
    for (const one of documents) {
      for (const [, name = '', file = ''] of proseOf(one).matchAll(
        /`(\w+)` in\s`([\w./-]+\.ts)`/g,
      )) {
        const text = existsSync(path.join(ROOT, file)) ? await readFile(file) : ''
        if (!new RegExp(`\\b${name}\\b`).test(text)) wrong.push(`${one.file}: ${name} in ${file}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('show commands and options that the command line takes', () => {
    const lines = (one: Document) =>
      codeOf(one).flatMap((code) => Array.from(code.matchAll(ALIBI_LINE), ([, line = '']) => line))
    expect(lines(named('operations/README.md')).length).toBeGreaterThan(20)
    expect(wrongIn((one) => lines(one).filter((line) => findUsageError(line) !== null))).toEqual([])
  })

  test('show scripts that package.json has', () => {
    const scripts = (one: Document) =>
      codeOf(one)
        .flatMap((code) => [...code.matchAll(SCRIPT_LINE)])
        .map(([, run, word]) => run ?? word ?? '')
    const isMissing = (script: string) =>
      script.includes('/') ? !existsSync(path.join(ROOT, script)) : !(script in manifest.scripts)
    expect(scripts(named('README.md'))).toContain('start')
    expect(wrongIn((one) => scripts(one).filter(isMissing))).toEqual([])
  })

  test('speak of the exit codes that there are', () => {
    const codes = (one: Document) =>
      Array.from(proseOf(one).matchAll(/\bexits? (?:with )?(?:code )?([0-9]+)/gi), ([, code]) =>
        Number(code),
      )
    const known: readonly number[] = Object.values(EXIT)
    expect(
      wrongIn((one) =>
        codes(one)
          .filter((code) => !known.includes(code))
          .map(String),
      ),
    ).toEqual([])
  })

  test('show the help of every command: `bun run docs:commands` writes it', () => {
    expect(named('docs/commands.md').text).toBe(commandsPage())
  })
})

/** A bare name of a command is fine where its operand would stand. */
function findUsageError(line: string): string | null {
  const words = line
    .replace(/\[.*?\]|…/g, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => PLACEHOLDERS[word] ?? word.replace(/^(['"])(.*)\1$/, '$2'))
  const parsed = parseCommandLine(words)
  if (!('usageError' in parsed)) return null
  const asked = parseCommandLine([...words, '--help'])
  const isName = 'command' in asked && asked.command === 'help' && asked.topic === words.join(' ')
  return isName ? null : parsed.usageError
}

describe('the settings in the documents', () => {
  const read = namesRead()
  const rows = rowsOf(named('docs/configuration.md')).filter(([name = '']) =>
    /^`[A-Z_]+`$/.test(name),
  )
  const defaults = rows.map(([name = '', text = '']) => {
    const [first = '', second = first] = text.split('; development: ')
    return { name: name.slice(1, -1), production: first, development: second }
  })
  /** Those of a cell, but for the names of variables. */
  const values = (cell: string) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, value = '']) => value).filter(
      (one) => !read.has(one),
    )

  test('are all read, or variables of something else that is there', async () => {
    const others = await otherVariables()
    const names = (one: Document) =>
      codeOf(one).flatMap((code) =>
        Array.from(
          code.matchAll(/(?<![\w$.{/-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w.])/g),
          ([name]) => name,
        ),
      )
    const isUnknown = (name: string) => !read.has(name) && !others.has(name)
    expect(wrongIn((one) => (one.file === 'STYLE.md' ? [] : names(one).filter(isUnknown)))).toEqual(
      [],
    )
  })

  test('are all described, each once', () => {
    // systemd's own, and what this release refuses.
    const notSet = ['STATE_DIRECTORY', 'CREDENTIALS_DIRECTORY', 'SMTP_URL']
    const expected = [...read].filter((name) => !name.endsWith('_FILE') && !notSet.includes(name))
    expect(defaults.map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
    const { text } = named('docs/configuration.md')
    for (const name of notSet) expect(text).toContain(`\`${name}\``)
  })

  test.each(defaults)('have the default that is described: $name', (row) => {
    expectDefault({ ...row, cell: row.production, given: PRODUCTION })
    if (row.name !== 'APP_ENV') {
      expectDefault({ ...row, cell: row.development, given: { APP_ENV: 'development' } })
    }
  })

  /** `given` is all that this world needs. A default of another form than the setting is what the config has. */
  function expectDefault({ name, cell, given }: { name: string; cell: string; given: Variables }) {
    const problems = problemsOf(() => load({ ...given, [name]: '' }))
    const isRequired = problems.some((problem) => problem.startsWith(`${name} is required`))
    expect([name, cell === 'required']).toEqual([name, isRequired])
    expect(cell === 'required' || cell === 'none').toBe(values(cell).length === 0)
    for (const value of values(cell)) {
      const state = value.includes('$STATE_DIRECTORY') ? { STATE_DIRECTORY: '/state' } : {}
      const env = { ...given, ...state, BACKUP_DIR: '/backups' }
      const set = { ...env, [name]: value.replace('$STATE_DIRECTORY', '/state') }
      const isAccepted = problemsOf(() => load(set)).length === 0
      if (isAccepted) expect(load(set)).toEqual(load(env))
      else expect(Object.values(load(env))).toContain(value)
    }
  }

  test('have the default that the installed settings file shows', async () => {
    const file = await readFile('infrastructure/systemd/alibi.env')
    for (const { name, production: cell } of defaults) {
      const [, shown] = new RegExp(`^#${name}=(.*)$`, 'm').exec(file) ?? []
      if (shown !== undefined) {
        expect([name, values(cell)[0] ?? '']).toEqual([name, shown.replaceAll('"', '')])
      }
    }
  })
})

/** What tests, scripts and the unit read beside the settings of the service. */
async function otherVariables(): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const files = ['test/**/*.ts', '{*,release/*}.{sh,ts}', 'operations/install.sh', '.ci/run']
  for (const pattern of [...files, 'infrastructure/systemd/alibi.service']) {
    for await (const file of new Bun.Glob(pattern).scan({ cwd: ROOT, dot: true })) {
      const text = await readFile(file)
      const names = text.matchAll(
        /\benv(?:\.|\[')([A-Z][A-Z0-9_]+)|\$\{?([A-Z][A-Z0-9_]+)|^UnsetEnvironment=(.+)$/gm,
      )
      for (const [, one, two, three] of names) {
        for (const name of (one ?? two ?? three ?? '').split(' ')) found.add(name)
      }
    }
  }
  return found
}

describe('the examples of STYLE.md', () => {
  const SOURCE = /`([\w./-]+\.ts)`[^`]*?\n\n```ts\n([\s\S]*?)^```$/gm
  const examples = [...named('STYLE.md').text.matchAll(SOURCE)].map(([, file = '', code = '']) => ({
    file,
    code,
  }))

  test('all name the file that they are from', () => {
    const blocks = blocksOf(named('STYLE.md')).filter(({ language }) => language === 'ts')
    expect(examples.map(({ code }) => code)).toEqual(blocks.map(({ code }) => code))
    expect(examples.length).toBeGreaterThan(5)
  })

  test.each(examples)('stand in the code: $file', async ({ file, code }) => {
    const lines = (text: string) => text.split('\n').map((line) => line.trim())
    const source = lines(await readFile(file)).join('\n')
    for (const part of code.trimEnd().split(/\n\n(?=\S)|^ *\/\/ …\n/m)) {
      expect(source).toContain(lines(part.trimEnd()).join('\n'))
    }
  })
})
