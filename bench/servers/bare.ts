import { quietPort } from '../../test/support/quiet-port.ts'
import { onServerCore } from '../machine.ts'
import { type MeasuredServer, measuredServer, untilAnswered } from './measured-process.ts'

/** Starts the bare server. Resolves once it has answered, with the milliseconds that this took. */
export async function startBare(
  executable: string,
): Promise<MeasuredServer & { readonly answeredAfterMs: number }> {
  const port = await quietPort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const child = Bun.spawn(onServerCore([executable]), {
    env: { PORT: String(port) },
    stdout: 'ignore',
  })
  await untilAnswered(url, child)
  return { ...measuredServer(url, child), answeredAfterMs: performance.now() - startedAt }
}
