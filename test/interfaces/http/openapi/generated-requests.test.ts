import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXAMPLE_CODE_VERIFIER, EXAMPLE_EMAIL } from '../../../../interfaces/http/openapi/fields.ts'
import { ROUTES } from '../../../../interfaces/http/paths.ts'
import { givePremium } from '../../../support/browser/premium.ts'
import { until } from '../../../support/executable/until.ts'
import { client } from '../../../support/http/client.ts'
import { FROM_SOURCE, startAlibi } from '../../../support/service/alibi-process.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

/** The parts that are read of Schemathesis's report on a run. */
type Report = {
  readonly complete: boolean
  readonly operations: { readonly tested: number }
  readonly phases: Readonly<Record<string, { readonly status: string }>>
  readonly test_cases: { readonly generated: number }
  readonly failures: readonly unknown[]
  readonly errors: readonly unknown[]
  /** By method and path, and by phase: how many right requests got what they asked for. */
  readonly valid_rates: Readonly<Record<string, Record<string, { readonly accepted: number }>>>
}

const CONFIG = join(import.meta.dir, '../../../openapi/schemathesis.toml')
const NO_LIMITS = {
  RATE_LIMIT_GENERAL: 'off',
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_PREMIUM: 'off',
  MAIL_LIMIT: 'off',
}

/** The OpenAPI document's own, so that the requests of its examples are those of somebody who paid. */
const BUYER = { email: EXAMPLE_EMAIL, codeVerifier: EXAMPLE_CODE_VERIFIER }

test('requests made of the OpenAPI document, right and wrong ones, are all answered as it says', async () => {
  const program = Bun.which('schemathesis')
  if (!program) {
    process.stdout.write('not tested here: Schemathesis, which is not installed\n')
    return
  }
  const folder = temporaryFolder()
  const alibi = await startAlibi({
    command: FROM_SOURCE,
    cwd: folder,
    env: { APP_ENV: 'development', ...NO_LIMITS },
  })
  try {
    await givePremium(alibi.url, BUYER.email)
    const { report, output } = await generateRequests(program, {
      folder,
      url: alibi.url,
      token: await logIn(alibi.url),
    })
    expect([report.failures, report.errors], output).toEqual([[], []])
    expect(report.complete).toBe(true)
    // It asks for its own source, the document, once.
    expect(report.operations.tested).toBe(Object.keys(ROUTES).length - 1)
    expect(Object.values(report.phases).map(({ status }) => status)).toEqual(
      ['examples', 'coverage', 'fuzzing', 'stateful'].map(() => 'success'),
    )
    expect(report.test_cases.generated).toBeGreaterThan(500)
    for (const operation of ['POST /auth/verify-email', 'POST /auth/token', 'GET /i18n']) {
      const phases = Object.values(report.valid_rates[operation] ?? {})
      expect([operation, phases.some(({ accepted }) => accepted > 0)]).toEqual([operation, true])
    }
  } finally {
    await alibi.stop()
  }
})

/** Proves the address as the document's example does, so that its example of a verifier is the right one. */
async function logIn(url: string): Promise<string> {
  const { email, codeVerifier } = BUYER
  const sha256 = new Bun.CryptoHasher('sha256').update(codeVerifier).digest()
  const codeChallenge = sha256.toString('base64url')
  const { get, post } = client(url)
  // The sandbox notifies by itself.
  await until('the payment is known', async () => {
    return (await get(`/auth/check?email=${email}`)).body['hasPremium'] === true
  })
  const { devCode: code } = (await post('/auth/verify-email', { email })).body
  await post('/auth/confirm-email', { email, code, codeChallenge })
  const { status, body } = await post('/auth/token', BUYER)
  expect(status).toBe(200)
  return String(body['token'])
}

async function generateRequests(
  program: string,
  { folder, url, token }: { folder: string; url: string; token: string },
): Promise<{ report: Report; output: string }> {
  const file = join(folder, 'report.json')
  const document = `${url}/openapi.json`
  const child = Bun.spawn(
    // Its document names localhost, which may be another address than the one listened to.
    [program, '--config-file', CONFIG, 'run', document, '--url', url, '--report-json-path', file],
    {
      cwd: folder,
      env: {
        ALIBI_TOKEN: token,
        HOME: folder,
        NO_COLOR: '1',
        PATH: process.env['PATH'],
        PYTHONDONTWRITEBYTECODE: '1',
        // Where `pip install --target` has put the packages of the program.
        PYTHONPATH: dirname(dirname(program)),
        // Nothing leaves the machine.
        HTTP_PROXY: 'http://127.0.0.1:9',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        NO_PROXY: '127.0.0.1,localhost',
      },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const output = stdout + stderr
  try {
    return { report: JSON.parse(readFileSync(file, 'utf8')), output }
  } catch (cause) {
    throw new Error(`Schemathesis made no report:\n${output}`, { cause })
  }
}
