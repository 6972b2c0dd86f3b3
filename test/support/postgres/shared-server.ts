import { type Server, startServer } from './server.ts'

let shared: Promise<Server> | null = null

/**
 * The PostgreSQL that the tests share, each with databases of its own: the one that test/run.ts has started for all
 * processes, else one that is started for this process and goes away with it.
 */
export function postgresServer(): Promise<Server> {
  const { TEST_POSTGRES } = process.env
  shared ??= TEST_POSTGRES ? Promise.resolve(JSON.parse(TEST_POSTGRES)) : startServer()
  return shared
}
