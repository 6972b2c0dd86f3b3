import { describe, expect, test } from 'bun:test'
import {
  load,
  namesRead,
  PRODUCTION,
  problemsOf,
  type Variables,
} from '../support/config-loading.ts'
import {
  codeOf,
  type Document,
  named,
  ROOT,
  readFile,
  rowsOf,
  wrongIn,
} from '../support/documents.ts'

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
    // systemd's own.
    const notSet = ['STATE_DIRECTORY', 'CREDENTIALS_DIRECTORY']
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
  const files = [
    'test/**/*.ts',
    'examples/**/*.{ts,sh}',
    'release/*.sh',
    'operations/*.sh',
    '.ci/run',
  ]
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
