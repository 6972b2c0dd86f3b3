import { processorSeconds, residentMebibytes } from '../machine.ts'

/** A server under load: its process and where it answers. */
export type MeasuredServer = AsyncDisposable & {
  readonly url: string
  processorSeconds(): number
  residentMebibytes(): number
  /** Holds the process where it is, so that its own work is no load beside another server's. */
  pause(): void
  resume(): void
}

export function measuredServer(
  url: string,
  child: { pid: number; kill(signal: NodeJS.Signals): void; exited: Promise<number> },
): MeasuredServer {
  const { pid } = child
  return {
    url,
    processorSeconds: () => processorSeconds(pid),
    residentMebibytes: () => residentMebibytes(pid),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** A port on which no process listens at this moment. */
export async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop()
  return port
}

const RETRY_MS = 1

/** Resolves once the address answers with 200. Throws where `hasEnded` says that it never will. */
export async function untilAnswered(address: string, hasEnded: () => boolean): Promise<void> {
  for (;;) {
    try {
      const answer = await fetch(address)
      await answer.arrayBuffer()
      if (answer.ok) return
    } catch {
      // Nobody listens yet.
    }
    if (hasEnded()) throw new Error(`a server ended before it answered ${address}`)
    await Bun.sleep(RETRY_MS)
  }
}
