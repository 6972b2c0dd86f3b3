import { join } from 'node:path'
import { freePort, untilReady } from '../http/throughput.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { FROM_SOURCE } from './alibi-process.ts'

/** A development service from source that is ready. Its log goes to a file: to read along would take time, too. */
export async function startMeasured(env: Readonly<Record<string, string>>) {
  const folder = openTemporaryFolder()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const alibi = Bun.spawn([...FROM_SOURCE, 'serve'], {
    cwd: folder.path,
    env: { APP_ENV: 'development', PORT: String(port), LOG_FORMAT: 'json', ...env },
    stdout: Bun.file(join(folder.path, 'log')),
  })
  await untilReady(url)
  return {
    url,
    pid: alibi.pid,
    async [Symbol.asyncDispose]() {
      alibi.kill()
      await alibi.exited
      folder[Symbol.dispose]()
    },
  }
}
