import { expect, onTestFinished, test } from 'bun:test'
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { until } from '../support/executable/until.ts'
import { textsOf } from '../support/fakes.ts'
import { quietPort } from '../support/quiet-port.ts'
import { FROM_SOURCE, startAlibi } from '../support/service/alibi-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SCRIPT = join(import.meta.dir, '../../examples/curl.sh')
const SWEDISH = builtInContent().in('sv')

async function start() {
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

/** The script in a process of its own; temporary files of it are in `scratch`, which nothing else uses. */
function startScript(parameters: readonly string[], env: Record<string, string> = {}) {
  const scratch = temporaryFolder()
  const child = Bun.spawn(['sh', SCRIPT, ...parameters], {
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: scratch, ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let printed = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      const chunk = decoder.decode(bytes, { stream: true })
      text += chunk
      printed += chunk
    }
    return text
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  return {
    printed: () => printed,
    async type(line: string) {
      child.stdin.write(`${line}\n`)
      await child.stdin.flush()
    },
    async end() {
      child.stdin.end()
      const [stdout, stderr] = await collected
      const exitCode = await child.exited
      return { exitCode, stdout, stderr, left: readdirSync(scratch) }
    },
  }
}

/** Expects the excuse and the translation, and nothing that is left behind. */
async function expectExcuse(script: ReturnType<typeof startScript>) {
  const { exitCode, stdout, stderr, left } = await script.end()
  expect({ exitCode, left }, stderr).toEqual({ exitCode: 0, left: [] })
  expect(stdout).toMatch(/^Late at work: .+$/m)
  expect(textsOf(SWEDISH)).toContain(/^In Swedish: (.+)$/m.exec(stdout)?.[1] ?? '')
  expect(stdout).toContain(`in Swedish: ${SWEDISH.strings['generate']}\n`)
}

/** A PATH with what the script calls, openssl if it is told so, and a `curl` that may be another program. */
function pathOf({ openssl }: { openssl: boolean }, curl = Bun.which('curl')!): string {
  const folder = temporaryFolder()
  const tools = ['cat', 'mktemp', 'rm', 'sed', 'od', 'tr', 'sh', openssl ? 'openssl' : '']
  for (const tool of tools.filter((name) => name !== ''))
    symlinkSync(Bun.which(tool)!, join(folder, tool))
  symlinkSync(curl, join(folder, 'curl'))
  return folder
}

test('the walk of examples/curl.sh goes from an address to an excuse with one code, then without paying', async () => {
  const { url } = await start()
  const first = startScript([url, 'walker@example.com'])
  await expectExcuse(first)
  expect(first.printed()).toContain('Paid in the sandbox.\n')

  const second = startScript([`${url}/`, 'walker@example.com'])
  await expectExcuse(second)
  expect(second.printed()).not.toContain('The payment page')
})

test('without openssl it walks the same way with a second code', async () => {
  const { url } = await start()
  await expectExcuse(startScript([url], { PATH: pathOf({ openssl: false }) }))
})

test('where no code is in the answer it takes what is typed, and waits until a person has paid', async () => {
  const alibi = await start()
  // As in production: the code is in the mail alone.
  const production = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const answer = await fetch(`${alibi.url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        ...(request.method === 'POST' ? { body: await request.text() } : {}),
      })
      const text = (await answer.text()).replace(/,?"devCode":"\d+"/, '')
      return new Response(text, { status: answer.status })
    },
  })
  onTestFinished(() => production.stop(true))
  const script = startScript([production.url.origin, 'typist@example.com'])
  await until('it asks for the code', () => script.printed().includes('was mailed to'))
  const code = () => /Subject: (\d{6})/.exec(alibi.output())?.[1]
  await until('the mail is on the console', () => code() !== undefined)
  await script.type(code()!)

  await until('it asks for the payment', () => script.printed().includes('press Enter:'))
  await script.type('')
  await until('it says so', () => script.printed().includes('The payment is not there yet.'))
  const page = /^The payment page: (.+)$/m.exec(script.printed())?.[1] ?? ''
  await fetch(page, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) })
  await script.type('')
  await expectExcuse(script)
})

test('the token and the verifier are never in the list of processes', async () => {
  const { url } = await start()
  const folder = temporaryFolder()
  const calls = join(folder, 'calls')
  const curl = join(folder, 'recording-curl')
  writeFileSync(
    curl,
    `#!/bin/sh\nprintf '%s\\n' "$*" >>'${calls}'\nexec '${Bun.which('curl')}' "$@"\n`,
  )
  chmodSync(curl, 0o755)
  await expectExcuse(startScript([url], { PATH: pathOf({ openssl: true }, curl) }))
  const recorded = await Bun.file(calls).text()
  expect(recorded).toContain('/premium-reasons')
  expect(recorded).not.toMatch(/Bearer|codeVerifier|eyJ/)
})

test('a wrong code, an address that is none and a limit end it in the words of the service', async () => {
  const refusals: readonly (readonly [answer: Response, said: string])[] = [
    [
      Response.json({ error: 'Invalid or expired code' }, { status: 401 }),
      'Invalid or expired code',
    ],
    [
      Response.json(
        { error: 'Too many "requests"' },
        { status: 429, headers: { 'retry-after': '90' } },
      ),
      'Too many "requests" (try again in 90 seconds)',
    ],
    [new Response('oops', { status: 502 }), 'answered /auth/confirm-email with status 502'],
  ]
  for (const [answer, said] of refusals) {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => (url.endsWith('/confirm-email') ? answer : Response.json({})),
    })
    const script = startScript([server.url.origin])
    await script.type('000000')
    const { exitCode, stderr, left } = await script.end()
    await server.stop(true)
    expect({ exitCode, left }).toEqual({ exitCode: 1, left: [] })
    expect(stderr).toEndWith(`${said}\n`)
  }

  const { url } = await start()
  const { exitCode, stderr } = await startScript([url, 'no "address"']).end()
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'curl.sh: Invalid email\n' })
})

test('a service that is away, and nobody who types a code, end it with one line', async () => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({}) })
  const unanswered = await startScript([server.url.origin]).end()
  await server.stop(true)
  expect(unanswered.exitCode).toBe(1)
  expect(unanswered.stderr).toEndWith('curl.sh: there is nobody who answers\n')

  const origin = `http://127.0.0.1:${await quietPort()}`
  const { exitCode, stdout, stderr, left } = await startScript([origin]).end()
  expect({ exitCode, stdout, left }).toEqual({ exitCode: 1, stdout: '', left: [] })
  expect(stderr).toStartWith(`curl.sh: ${origin} cannot be reached: `)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})

test('it says how it is used, and exits with 2 where it is used otherwise', async () => {
  const help = await startScript(['--help']).end()
  expect(help).toMatchObject({ exitCode: 0, stderr: '' })
  expect(help.stdout).toStartWith('usage: sh curl.sh [URL] [EMAIL]\n')
  for (const parameters of [
    ['--quiet'],
    ['localhost'],
    ['http://localhost:3000', 'a@b.c', 'more'],
  ]) {
    expect((await startScript(parameters).end()).exitCode).toBe(2)
  }
})

test('shellcheck finds nothing in it, of any severity', () => {
  if (!Bun.which('shellcheck')) {
    process.stdout.write(
      'not tested here: shellcheck of examples/curl.sh, which is not installed\n',
    )
    return
  }
  const { exitCode, stdout } = Bun.spawnSync(['shellcheck', '-S', 'style', SCRIPT])
  expect({ exitCode, said: stdout.toString() }).toEqual({ exitCode: 0, said: '' })
})
