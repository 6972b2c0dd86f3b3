import { expect, onTestFinished } from 'bun:test'
import { FROM_SOURCE, startAlibi } from '../service/alibi-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** The service in development until the test ends, as `npm start` runs it, but without limits: its address. */
export async function startDevelopment(): Promise<string> {
  const alibi = await startAlibi({
    command: FROM_SOURCE,
    cwd: temporaryFolder(),
    env: { APP_ENV: 'development', RATE_LIMIT_AUTH: 'off', RATE_LIMIT_GENERAL: 'off' },
  })
  onTestFinished(async () => {
    await alibi.stop()
  })
  return alibi.url
}

/** Pays in the sandbox, as a person does in the browser, and is sent on to the success page. */
export async function pressPay(checkoutUrl: string): Promise<void> {
  const body = new URLSearchParams({ action: 'pay' })
  const page = await fetch(checkoutUrl, { method: 'POST', body })
  expect(page.url).toContain('/payment/success?session_id=')
  expect(page.status).toBe(200)
}

type Operation = { readonly operationId?: string }
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

/** The name of every operation in the OpenAPI document of a service. */
export async function operationIds(alibiUrl: string): Promise<readonly string[]> {
  const { paths } = (await (await fetch(`${alibiUrl}/openapi.json`)).json()) as Document
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  )
  expect(ids).toContain('verifyEmail')
  return ids.toSorted()
}

/** Runs a program to its end. Fails with what it has said unless it ends well; else that is the result. */
export async function runWell(
  command: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect({ command: command[0], exitCode: await child.exited }, stdout + stderr).toEqual({
    command: command[0] ?? '',
    exitCode: 0,
  })
  return stdout
}
