import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseCommandLine } from '../../interfaces/cli/command-line.ts'
import { COMMON_OPTIONS } from '../../interfaces/cli/command-words.ts'
import { COMMANDS } from '../../interfaces/cli/commands/command-table.ts'
import { EXIT } from '../../interfaces/cli/exit-codes.ts'
import manifest from '../../package.json'
import { commandsPage } from '../../release/commands-page.ts'
import { DOCUMENT } from '../support/answers/checked-answers.ts'
import {
  anchorsOf,
  codeOf,
  codeSpansOf,
  type Document,
  documents,
  linksOf,
  named,
  proseOf,
  ROOT,
  readFile,
  wrongIn,
} from '../support/documents.ts'

/** Goes with a release; links in it must lead to such files only. */
const RELEASED = /^(?:README\.md|docs\/.+|operations\/(?!install\.sh$).+)$/
const TOP_FOLDERS =
  'domain|application|infrastructure|interfaces|operations|release|docs|test|bench|\\.ci'
const REPOSITORY_PATH = new RegExp(`^(?:${TOP_FOLDERS})(?:/[\\w.*-]+)*/?$|^[A-Z]+\\.md$`)
/** As a person types it: up to what a shell or a sentence puts behind it. */
const ALIBI_LINE = /(?<![\w./@-])(?:\.\/)?alibi ((?:[a-z…]|--)[^\n`"#|>;&)]*)/g
const REQUEST = /\b(?:GET|POST|PUT|DELETE|PATCH) \/[\w/.-]*/g
const SCRIPT_LINE = /\b(?:npm|bun) run ([\w:./-]+)|\bnpm (start|test)\b/g
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  EMAIL: 'anna@example.com',
  ID: 'pur_1',
  COMMAND: 'serve',
  SHELL: 'bash',
  DURATION: '30d',
}

/** The file that a link leads to, as a path in the repository. */
function targetOf(from: Document, link: string): string {
  const [file = ''] = link.split('#')
  return file === '' ? from.file : path.join(path.dirname(from.file), file)
}

describe('the documents', () => {
  test('link to files and headings that are there', () => {
    const isBroken = (from: Document, link: string) => {
      if (/^https?:/.test(link)) return false
      const [, anchor] = link.split('#')
      const target = targetOf(from, link)
      if (!existsSync(path.join(ROOT, target))) return true
      return anchor !== undefined && !anchorsOf(named(target)).has(anchor)
    }
    const broken = (one: Document) =>
      linksOf(one).filter(({ text, target }) => {
        const isPath = /^`?[\w./-]+\.\w+`?$/.test(text)
        return isBroken(one, target) || (isPath && !target.endsWith(text.replaceAll('`', '')))
      })
    expect(wrongIn((one) => broken(one).map(({ text }) => text))).toEqual([])
  })

  test('are all linked from the README, but for the three that stay in the repository', () => {
    const from = named('README.md')
    const linked = linksOf(from).map(({ target }) => targetOf(from, target))
    const others = documents.map(({ file }) => file).filter((file) => !linked.includes(file))
    expect(others).toEqual(['README.md', 'STYLE.md', 'bench/README.md', 'test/README.md'])
    for (const file of ['STYLE.md', 'bench/README.md', 'test/README.md'])
      expect(from.text).toContain(`\`${file}\``)
  })

  test('of a release link to nothing that is not in it', () => {
    const leadsOut = (from: Document, link: string) =>
      !/^https?:/.test(link) && !RELEASED.test(targetOf(from, link))
    const released = documents.filter(({ file }) => RELEASED.test(file))
    expect(
      released.flatMap((one) =>
        linksOf(one)
          .map(({ target }) => target)
          .filter((target) => leadsOut(one, target)),
      ),
    ).toEqual([])
  })

  test('have a heading for each decision that the code links, and a link for each heading', async () => {
    const linked = new Set<string>()
    const sources = new Bun.Glob('{domain,application,infrastructure,interfaces}/**/*.ts')
    for await (const file of sources.scan({ cwd: ROOT })) {
      const links = (await readFile(file)).matchAll(/docs\/decisions\.md#([\w-]+)/g)
      for (const [, anchor = ''] of links) linked.add(anchor)
    }
    const decisions = [...anchorsOf(named('docs/decisions.md'))].filter(
      (one) => one !== 'decisions',
    )
    expect([...linked].toSorted()).toEqual(decisions.toSorted())
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

  test('speak of options that a command or a script takes', async () => {
    const scripts = ['operations/install.sh', 'test/run.ts', 'bench/options.ts'].filter((file) =>
      existsSync(path.join(ROOT, file)),
    )
    const texts = (await Promise.all(scripts.map(readFile))).join('\n')
    const known = [...COMMON_OPTIONS, ...COMMANDS.flatMap((command) => command.options)]
    const isUnknown = (option: string) =>
      known.every(({ name }) => option !== `--${name}`) &&
      !new RegExp(`${option}(?![\\w-])`).test(texts)
    const options = (one: Document) =>
      codeSpansOf(one).flatMap((span) => /^--[a-z-]+/.exec(span)?.[0] ?? [])
    expect(wrongIn((one) => options(one).filter(isUnknown))).toEqual([])
  })

  test('speak of paths that the service answers', () => {
    const asked = (one: Document) =>
      codeOf(one).flatMap((code) => Array.from(code.matchAll(REQUEST), ([request]) => request))
    const isUnknown = (request: string) => {
      const [method = '', url = ''] = request.split(' ')
      return DOCUMENT.paths[url]?.[method.toLowerCase()] === undefined
    }
    expect(asked(named('docs/client.md')).length).toBeGreaterThan(10)
    expect(wrongIn((one) => asked(one).filter(isUnknown))).toEqual([])
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
  const parsed = parseCommandLine(words, COMMANDS)
  if (!('usageError' in parsed)) return null
  const asked = parseCommandLine([...words, '--help'], COMMANDS)
  const isName = 'topic' in asked && asked.topic?.name === words.join(' ')
  return isName ? null : parsed.usageError
}
