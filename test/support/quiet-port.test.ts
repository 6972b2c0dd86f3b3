import { expect, test } from 'bun:test'
import { quietPort } from './quiet-port.ts'

const MANY = 500

/** Takes as many, says which, and keeps them until its input ends. */
const PROGRAM = `
  const { quietPort } = await import(${JSON.stringify(new URL('./quiet-port.ts', import.meta.url).pathname)})
  for (let count = 0; count < ${MANY}; count++) console.log(await quietPort())
  console.log('all')
  await Bun.stdin.text()
`

test('no port is given twice, to another process neither', async () => {
  const other = Bun.spawn([process.execPath, '-e', PROGRAM], { stdin: 'pipe' })
  let said = ''
  for await (const chunk of other.stdout) {
    said += Buffer.from(chunk).toString()
    if (said.endsWith('all\n')) break
  }
  const ports = said.trim().split('\n').slice(0, -1)
  expect(ports).toHaveLength(MANY)

  for (let count = 0; count < MANY; count++) ports.push(String(await quietPort()))
  other.stdin.end()
  expect(new Set(ports).size).toBe(2 * MANY)
  expect(await other.exited).toBe(0)
})
