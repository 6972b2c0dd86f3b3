import { loadConfig } from '../../infrastructure/config/config.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { openSqliteStore } from '../../infrastructure/sqlite/store.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { openapi } from '../cli/commands/openapi.ts'
import { openApiDocument } from '../http/openapi.ts'
import type { CommandContext } from './command-context.ts'
import { composeHttp, composePorts } from './compose-service.ts'

/** Puts the service together as development does, in memory, and asks it for its description. */
export async function runOpenapi({ surroundings, print }: CommandContext): Promise<number> {
  const config = loadConfig({
    ...surroundings,
    env: { APP_ENV: 'development', JWT_SECRET: crypto.randomUUID() },
  })
  const store = openSqliteStore(':memory:')
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const url = 'http://localhost'
  const content = builtInContent()
  const parts = { config, store, log, content, url, publicUrl: url, write: print }
  const { ports, desk } = await composePorts(parts)
  const stopping = new AbortController().signal
  const options = await composeHttp(parts, { ports, desk, version: packageJson.version, stopping })
  return openapi({ readDocument: () => openApiDocument(options), print })
}
