import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-codes.ts'

export const healthcheckCommand: Command = {
  name: 'healthcheck',
  summary: 'ask the service on this machine whether it is ready',
  operands: [],
  options: [],
  details: 'Asks the service at HOST and PORT. Exits 0 when it is ready, and 1 when it is not.',
  parse: () => ({}),
  run: (context) => healthcheck({ ...context, ...context.listenAddress() }),
}

const TIMEOUT_MS = 5000

/** Asks the service on this machine whether it is ready, and prints the answer in one line. */
export async function healthcheck({
  host,
  port,
  print,
  timeoutMs = TIMEOUT_MS,
}: Pick<CommandContext, 'print'> & {
  /** Where it listens. */
  host: string
  port: number
  timeoutMs?: number
}): Promise<number> {
  if (port === 0) {
    print('not ready: PORT is 0, so that the service is at a port that only its log tells')
    return EXIT.failed
  }
  const url = `http://${reachable(host)}:${port}/ready`
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const status = await getStatus(url, signal)
    print(status === 200 ? `ready: ${url}` : `not ready: ${url} answered ${status}`)
    return status === 200 ? EXIT.done : EXIT.failed
  } catch (error) {
    const reason = signal.aborted ? `within ${timeoutMs / 1000} s` : `(${reasonOf(error)})`
    print(`not ready: ${url} did not answer ${reason}`)
    return EXIT.failed
  }
}

/** A service that listens on every address is asked on loopback. */
function reachable(host: string): string {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return address.includes(':') ? `[${address}]` : address
}

/** By node:http, since fetch would send even this through the HTTP_PROXY of the environment. */
async function getStatus(url: string, signal: AbortSignal): Promise<number | undefined> {
  const { get } = await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  get(url, { agent: false, signal }, (response) => {
    response.destroy()
    resolve(response.statusCode)
  }).on('error', reject)
  return promise
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  return 'code' in error ? String(error.code) : error.name
}
