import type { Command } from '../command.ts'
import type { CommandContext, Service } from '../command-context.ts'
import { EXIT } from '../exit-codes.ts'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'serve until asked to stop',
  operands: [],
  options: [],
  details:
    'Brings the database up to date and serves. SIGTERM lets the answers under way finish first.',
  outlivesItsReader: true,
  parse: () => ({}),
  run: async (context) => serve(await context.openService(), context),
}

/** Long enough for every provider's deadline, and below what service managers wait before they kill. */
const DRAIN_MAX_MS = 25_000

/**
 * Serves until it is asked to stop, then lets what is under way finish and returns 0; 1 when that does not finish in
 * time.
 */
export async function serve(
  service: Service,
  { wait }: Pick<CommandContext, 'wait'>,
): Promise<number> {
  const { listener, handler, publicUrl, version, log, supervisor, stopRequested } = service
  listener.use(handler)
  const { url, port } = listener
  log('service.serving', { url, port, publicUrl })
  supervisor.ready(`serves at ${url}, version ${version}`)
  const working = service.work()

  const signal = await stopRequested
  supervisor.stopping('finishes what is under way')
  log('service.stopping', { signal })
  const drained = await Promise.race([
    Promise.all([listener.drain().then(listener.stop), working])
      .then(() => service.leave())
      .then(() => true),
    wait(DRAIN_MAX_MS).then(() => false),
  ])
  service.close()
  if (!drained) log('service.stopped_early')
  else log('service.stopped')
  return drained ? EXIT.done : EXIT.failed
}
