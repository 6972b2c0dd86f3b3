import { expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import generator from '@hey-api/openapi-ts/package.json'
import typescript6 from '@typescript/old/package.json'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { textsOf } from '../support/fakes.ts'
import {
  operationIds,
  pressPay,
  runWell,
  startDevelopment,
} from '../support/generators/development.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dir, '../..')
const GENERATE = [
  process.execPath,
  `--preload=${join(ROOT, 'test/support/generators/typescript-6.ts')}`,
  join(ROOT, 'node_modules/@hey-api/openapi-ts/dist/run.mjs'),
]
const COMPILE = [
  process.execPath,
  join(ROOT, 'node_modules/.bin/tsc'),
  ...['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--types', ''],
  ...['--target', 'esnext', '--lib', 'esnext,dom,dom.iterable'],
  ...['--module', 'esnext', '--moduleResolution', 'bundler'],
]

/** A folder with the client that openapi-ts makes of a service's document, and the example that takes it. */
async function generate(alibiUrl: string): Promise<string> {
  const folder = temporaryFolder()
  await runWell([...GENERATE, '-i', `${alibiUrl}/openapi.json`, '-o', 'alibi'], { cwd: folder })
  copyFileSync(join(ROOT, 'examples/generated-client.ts'), join(folder, 'generated-client.ts'))
  return folder
}

type Person = {
  email: string
  askCode(devCode?: string): Promise<string>
  pay(url: string): Promise<void>
}
type Walk = (
  alibiUrl: string,
  person: Person,
) => Promise<{
  excuse: { reason: string; language: string; email: string; widened?: readonly string[] }
  words: { strings: unknown }
  loggedOut: unknown
}>

test('the client that openapi-ts makes compiles, walks the whole way with one code, and then without paying', async () => {
  const url = await startDevelopment()
  const folder = await generate(url)
  await runWell([...COMPILE, 'alibi/index.ts', 'generated-client.ts'], { cwd: folder })

  const { walk }: { walk: Walk } = await import(join(folder, 'generated-client.ts'))
  let payments = 0
  const buyer: Person = {
    email: 'buyer@example.com',
    askCode: async (devCode) => devCode ?? expect.unreachable(),
    async pay(checkoutUrl) {
      payments++
      await pressPay(checkoutUrl)
    },
  }
  for (let visit = 0; visit < 2; visit++) {
    const { excuse, words, loggedOut } = await walk(url, buyer)
    expect(textsOf(builtInContent().in('en'))).toContain(excuse.reason)
    expect(excuse).toMatchObject({ language: 'en', email: buyer.email })
    expect(excuse.widened).toBeUndefined()
    expect(words.strings).toEqual(builtInContent().in('sv').strings)
    expect(loggedOut).toEqual({ status: 401, error: { error: 'Invalid or expired token' } })
  }
  expect(payments).toBe(1)

  const mistaken = walk(url, { ...buyer, askCode: async () => 'no code' })
  expect(await mistaken.catch((thrown) => thrown)).toEqual({ error: 'Invalid or expired code' })
})

test('it has a function for each operation of the document, and no other', async () => {
  const url = await startDevelopment()
  const folder = await generate(url)
  const client: Readonly<Record<string, unknown>> = await import(join(folder, 'alibi/index.ts'))
  const functions = Object.keys(client).filter((name) => typeof client[name] === 'function')
  expect(functions.toSorted()).toEqual([...(await operationIds(url))])
})

test('a request that the document does not describe does not compile', async () => {
  const folder = await generate(await startDevelopment())
  await Bun.write(
    join(folder, 'mistakes.ts'),
    `import { confirmEmail, pickReason } from './alibi'
// @ts-expect-error: a confirmation needs its code
confirmEmail({ body: { email: 'a@example.com' } })
// @ts-expect-error: no excuse is for that
pickReason({ query: { occasion: 'no occasion' } })
`,
  )
  await runWell([...COMPILE, 'mistakes.ts'], { cwd: folder })
})

test('docs/client.md names the versions that make this client', async () => {
  const page = await Bun.file(join(ROOT, 'docs/client.md')).text()
  const packages = `-p ${generator.name}@${generator.version} -p typescript@${typescript6.version}`
  expect(page).toContain(`npx -y ${packages} openapi-ts -i https://`)
})
