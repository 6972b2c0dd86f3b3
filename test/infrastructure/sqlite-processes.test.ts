import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { migrateSqlite } from '../../infrastructure/sqlite/database.ts'
import { MIGRATIONS } from '../../infrastructure/sqlite/migrations.ts'
import { openSqliteStore } from '../../infrastructure/sqlite/store.ts'
import { temporaryFolder } from '../stores.ts'

describe('several processes on one SQLite file', () => {
  test('make it and migrate it once between them, and none of them fails', async () => {
    const folder = temporaryFolder()

    const outputs = await runTogether('migrate-when-told.ts', [folder, '40'], 4)
    const results: ReturnType<typeof migrateSqlite>[][] = outputs.map((output) =>
      JSON.parse(output),
    )
    const names = MIGRATIONS.map(({ name }) => name)
    for (let database = 0; database < 40; database++) {
      const ofOneDatabase = results.map((ofOneProcess) => ofOneProcess[database]!)
      expect(ofOneDatabase.flatMap(({ applied }) => applied).toSorted()).toEqual(names)
      expect(new Set(ofOneDatabase.map(({ version }) => version))).toEqual(new Set([names.at(-1)!]))
    }
  })

  test('lose none of one another’s updates', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    migrateSqlite(path)

    await runTogether('count-when-told.ts', [path, '50'], 2)

    const store = openSqliteStore(path)
    const refund = await store.refunds.findById('re_shared')
    store.close()
    expect(refund?.amount).toBe(100)
  })
})

/** Starts the fixture in several processes, lets them all go at once, and returns what each printed from then on. */
async function runTogether(
  fixture: string,
  parameters: readonly string[],
  processes: number,
): Promise<readonly string[]> {
  const script = new URL(`../fixtures/${fixture}`, import.meta.url).pathname
  const children = Array.from({ length: processes }, () => {
    const command = [process.execPath, 'run', script, ...parameters]
    const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
    return { child, output: child.stdout.getReader() }
  })

  for (const { output } of children) {
    const { value } = await output.read()
    expect(new TextDecoder().decode(value)).toBe('ready\n')
  }
  for (const { child } of children) {
    child.stdin.write('go\n')
    child.stdin.end()
  }
  const endings = await Promise.all(
    children.map(async ({ child, output }) => ({
      printed: await readAll(output),
      complaints: await new Response(child.stderr).text(),
      exitCode: await child.exited,
    })),
  )
  for (const { exitCode, complaints } of endings) {
    expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: '' })
  }
  return endings.map(({ printed }) => printed)
}

async function readAll(reader: {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text
}
