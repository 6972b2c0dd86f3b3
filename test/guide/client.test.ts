import { expect, onTestFinished, test } from 'bun:test'
import path from 'node:path'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { until } from '../support/executable/until.ts'
import { textsOf } from '../support/fakes.ts'
import { quietPort } from '../support/quiet-port.ts'
import { type AlibiProcess, FROM_SOURCE, startAlibi } from '../support/service/alibi-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { getExcuse } from './client.ts'

const CODE = path.join(import.meta.dir, 'client.ts')
const LINES_MAX = 30
const BYTES_MAX = 12_000

/** Development mode as a reader of docs/client.md starts it, limits included. */
async function start(): Promise<AlibiProcess> {
  const alibi = await startAlibi({
    command: FROM_SOURCE,
    cwd: temporaryFolder(),
    env: { APP_ENV: 'development' },
  })
  onTestFinished(async () => {
    await alibi.stop()
  })
  return alibi
}

/** Reads each mail once, off the console, where it may come a little later than the answer. */
function mailReader({ output }: AlibiProcess): () => Promise<string> {
  let mailsRead = 0
  return async () => {
    const codes = () => Array.from(output().matchAll(/Subject: (\d{6})/g), ([, code]) => code)
    await until('the mail is on the console', () => codes().length > mailsRead)
    mailsRead = codes().length
    return codes().at(-1) ?? ''
  }
}

/** What a person does in the browser: presses the button, and is sent on to the success page. */
async function pressPay(checkoutUrl: string): Promise<void> {
  const body = new URLSearchParams({ action: 'pay' })
  const page = await fetch(checkoutUrl, { method: 'POST', body })
  expect(page.url).toContain('/payment/success?session_id=')
  expect(page.status).toBe(200)
}

test('the client of docs/client.md walks the whole way with one code, and then without paying', async () => {
  const service = await start()
  let payments = 0
  const person = {
    email: 'reader@example.com',
    askCode: mailReader(service),
    async pay(checkoutUrl: string) {
      payments++
      await pressPay(checkoutUrl)
    },
  }
  for (let visit = 0; visit < 2; visit++) {
    const { reason, language, email } = await getExcuse(service.url, person)
    expect(textsOf(builtInContent().in('sv'))).toContain(reason)
    expect({ language, email: String(email) }).toEqual({ language: 'sv', email: person.email })
  }
  expect(payments).toBe(1)
})

test("a refusal is thrown in the service's words, and says when to come back", async () => {
  const service = await start()
  const stranger = {
    email: 'stranger@example.com',
    askCode: async () => 'no code',
    pay: async () => expect.unreachable(),
  }
  const refusal = async () => {
    const error = await getExcuse(service.url, stranger).catch((caught) => caught)
    return { message: error.message, cause: error.cause }
  }

  for (let round = 0; round < 2; round++) {
    expect(await refusal()).toEqual({ message: 'Invalid or expired code', cause: null })
  }
  const { message, cause } = await refusal()
  expect(message).toBe('Too many requests, please try again later')
  expect(Number(cause)).toBeGreaterThan(0)
})

test('without a connection it fails in words of its own', async () => {
  const nowhere = `http://127.0.0.1:${await quietPort()}`
  const nobody = { email: 'a@example.com', askCode: async () => '', pay: async () => {} }
  await expect(getExcuse(nowhere, nobody)).rejects.toThrow('Offline')
})

test('docs/client.md shows this very code, and it is short', async () => {
  const code = await Bun.file(CODE).text()
  const page = await Bun.file(path.join(import.meta.dir, '../../docs/client.md')).text()
  expect(page).toContain(`\`\`\`ts\n${code}\`\`\`\n`)
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX)
})

test('it runs in browsers: its bundle is small, whole, and knows nothing of a server', async () => {
  const { outputs } = await Bun.build({ entrypoints: [CODE], target: 'browser', minify: true })
  const [bundle, ...others] = await Promise.all(outputs.map((output) => output.text()))
  expect(others).toEqual([])
  expect(bundle!.length).toBeLessThan(BYTES_MAX)
  expect(bundle).not.toMatch(/node:|require\(|\bBun\b|\bprocess\b|from"/)
})
