import { onServerCore } from '../machine.ts'
import { freePort, type MeasuredServer, measuredServer, untilAnswered } from './measured-process.ts'

/** Starts the bare server, and resolves once it has answered. */
export async function startBare(executable: string): Promise<MeasuredServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = Bun.spawn(onServerCore([executable]), {
    env: { PORT: String(port) },
    stdout: 'ignore',
  })
  await untilAnswered(url, () => child.exitCode !== null)
  return measuredServer(url, child)
}
