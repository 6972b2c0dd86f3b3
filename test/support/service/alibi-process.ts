import type { Subprocess } from 'bun'

/** A running Alibi, from source or compiled, and all that it printed. */
export type AlibiProcess = {
  readonly url: string
  readonly pid: number
  readonly output: () => string
  /** Sends the signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>
}

const SOURCE = new URL('../../../interfaces/main.ts', import.meta.url).pathname

/** The command that runs Alibi from source. */
export const FROM_SOURCE: readonly string[] = [process.execPath, 'run', SOURCE]

/**
 * Starts `serve` on a free port and waits for the line that says where. Its environment is what is given and nothing
 * else. Throws with its output when it ends instead. Aborting `signal` kills it, also when it has said nothing yet.
 */
export async function startAlibi({
  command,
  cwd,
  env,
  signal,
}: {
  command: readonly string[]
  cwd: string
  env: Record<string, string>
  signal?: AbortSignal
}): Promise<AlibiProcess> {
  const child = Bun.spawn([...command, 'serve'], {
    cwd,
    env: { PORT: '0', LOG_FORMAT: 'json', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    ...(signal ? { signal, killSignal: 'SIGKILL' } : {}),
  })
  let output = ''
  const served = Promise.withResolvers<string>()
  async function collect(stream: ReadableStream<Uint8Array>) {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true })
      const url = /"url":"(http:[^"]+)"/.exec(output)?.[1]
      if (url) served.resolve(url)
    }
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  void collected.then(() => served.reject(new Error(`ended before it served:\n${output}`)))

  const url = await served.promise
  return {
    url,
    pid: child.pid,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await child.exited
      await collected
      return exitCode(child)
    },
  }
}

function exitCode(child: Subprocess): number {
  return child.exitCode ?? -1
}

/** Runs a command to its end. */
export async function runAlibi({
  command,
  cwd,
  env = {},
}: {
  command: readonly string[]
  cwd: string
  env?: Record<string, string>
}): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([...command], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode: await child.exited, stdout, stderr }
}
