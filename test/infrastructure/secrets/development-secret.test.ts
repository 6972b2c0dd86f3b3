import { expect, test } from 'bun:test'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { developmentSecret } from '../../../infrastructure/secrets/development-secret.ts'
import { sharedTemporaryFolder } from '../../support/temporary-folder.ts'

const root = sharedTemporaryFolder()

const MODULE = new URL('../../../infrastructure/secrets/development-secret.ts', import.meta.url)
  .pathname

test('a secret of 32 bytes is made once, and kept', () => {
  const directory = join(root, 'fresh', 'data')
  const secret = developmentSecret(directory)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(developmentSecret(directory)).toBe(secret)
  expect(developmentSecret(join(root, 'other'))).not.toBe(secret)
})

test('only its owner may read it, and nothing else is left behind', () => {
  const directory = join(root, 'private')
  developmentSecret(directory)
  expect(readdirSync(directory)).toEqual(['jwt-secret'])
  expect(statSync(join(directory, 'jwt-secret')).mode & 0o777).toBe(0o600)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
})

test('first starts at the same time agree on one secret', async () => {
  const directories = Array.from({ length: 40 }, (_, index) => join(root, 'race', String(index)))
  const script = `
    const { developmentSecret } = await import(${JSON.stringify(MODULE)})
    console.log('ready')
    for await (const _ of console) break
    console.log(JSON.stringify(${JSON.stringify(directories)}.map(developmentSecret)))
    process.exit()`
  const starts = Array.from({ length: 3 }, () => startScript(script))
  await Promise.all(starts.map(({ nextLine }) => nextLine()))
  for (const { release } of starts) release()

  const seen = await Promise.all(starts.map(async ({ nextLine }) => JSON.parse(await nextLine())))
  const kept = directories.map(developmentSecret)
  expect(seen).toEqual([kept, kept, kept])
  for (const directory of directories) expect(readdirSync(directory)).toEqual(['jwt-secret'])
})

test('a file that holds something else is refused rather than used or replaced', () => {
  const directory = join(root, 'broken')
  developmentSecret(directory)
  writeFileSync(join(directory, 'jwt-secret'), '')
  expect(() => developmentSecret(directory)).toThrow('does not hold a secret')
})

/** A process that talks in lines, and goes on once it is released. */
function startScript(script: string) {
  const child = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let heard = ''
  return {
    async nextLine() {
      while (!heard.includes('\n')) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`ended after: ${heard}`)
        heard += decoder.decode(value, { stream: true })
      }
      const [line = '', ...rest] = heard.split('\n')
      heard = rest.join('\n')
      return line
    },
    release() {
      child.stdin.write('go\n')
      child.stdin.end()
    },
  }
}
