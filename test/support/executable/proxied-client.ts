import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND_MS } from '../../../domain/duration.ts'
import { PATIENCE_MS } from '../patience.ts'
import { runAlibi } from '../service/alibi-process.ts'
import { HOST, type ReverseProxy } from './reverse-proxies.ts'

export type Asked = {
  path: string
  from?: string
  method?: string
  headers?: readonly string[]
  body?: string
  scheme?: 'http' | 'https'
}

export type Answered = { readonly status: number; readonly head: string; readonly text: string }

/** Asks the proxy by curl, a request each, from any address of 127.0.0.0/8. Bodies pass through the folder. */
export function proxiedClient(proxy: ReverseProxy, folder: string) {
  let bodies = 0
  const maxTime = String(PATIENCE_MS / SECOND_MS)

  return async ({
    path,
    from = '127.0.0.9',
    method,
    headers = [],
    body,
    scheme = 'https',
  }: Asked): Promise<Answered> => {
    const proxyPort = scheme === 'https' ? proxy.httpsPort : proxy.httpPort
    const options = ['--silent', '--include', '--insecure', '--interface', from]
    options.push('--max-time', maxTime)
    if (method !== undefined) options.push('--request', method)
    if (body !== undefined) {
      const file = join(folder, `body-${bodies++}`)
      writeFileSync(file, body)
      options.push('--data-binary', `@${file}`)
    }
    for (const header of ['expect:', ...headers]) options.push('--header', header)
    const url = `${scheme}://${HOST}:${proxyPort}${path}`
    const resolve = ['--resolve', `${HOST}:${proxyPort}:127.0.0.1`]
    const outcome = await runAlibi({
      command: ['curl', ...options, ...resolve, url],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
    })
    if (outcome.exitCode !== 0) throw new Error(`curl exits with ${outcome.exitCode}`)
    const [head = '', ...rest] = outcome.stdout.split('\r\n\r\n')
    const status = Number(/^HTTP\/[\d.]+ (\d+)/.exec(head)?.[1])
    return { status, head, text: rest.join('\r\n\r\n') }
  }
}

const TELLS_VERSION = { caddy: ['caddy', 'version'], nginx: ['nginx', '-v'] } as const

/** The program that is missing here to try the example for that proxy; null where all are there. */
export function missingFor(name: keyof typeof TELLS_VERSION): string | null {
  const needed = [TELLS_VERSION[name], ['curl', '--version'], ['openssl', 'version']]
  return needed.find((command) => !succeeds(command))?.[0] ?? null
}

function succeeds([program, ...parameters]: readonly string[]): boolean {
  const path = Bun.which(program ?? '')
  return path !== null && Bun.spawnSync([path, ...parameters]).success
}
