import type { Subprocess } from 'bun'
import { mainThreadSeconds, processorSeconds, residentMebibytes } from '../machine.ts'

/** A server under load: its process and where it answers. */
export type MeasuredServer = AsyncDisposable & {
  readonly url: string
  processorSeconds(): number
  mainThreadSeconds(): number
  residentMebibytes(): number
  /** Holds the process where it is, so that its own work is no load beside another server's. */
  pause(): void
  resume(): void
}

export function measuredServer(url: string, child: Subprocess): MeasuredServer {
  const { pid } = child
  return {
    url,
    processorSeconds: () => processorSeconds(pid),
    mainThreadSeconds: () => mainThreadSeconds(pid),
    residentMebibytes: () => residentMebibytes(pid),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    [Symbol.asyncDispose]: () => stopped(child),
  }
}

/** Ends a process, one that stands still as well. */
export async function stopped(child: Subprocess): Promise<void> {
  child.kill('SIGCONT')
  child.kill('SIGTERM')
  await child.exited
}

const RETRY_MS = 1

/** Resolves once the address answers with 200. Throws where the process ends before. */
export async function untilAnswered(address: string, child: Subprocess): Promise<void> {
  for (;;) {
    if (await isAnswered(address)) return
    if (child.exitCode !== null) {
      throw new Error(`a server ended before it answered ${address}: is its database in use?`)
    }
    await Bun.sleep(RETRY_MS)
  }
}

async function isAnswered(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address)
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    // Nobody listens yet.
    return false
  }
}
