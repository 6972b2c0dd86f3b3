import type { Log, Supervisor } from '../../../application/ports.ts'
import type { Handler } from '../../http/handler.ts'
import type { Listener } from '../../http/listen.ts'
import { EXIT } from '../exit-codes.ts'

/** The service behind a listener, and what it holds open. */
type Service = {
  readonly handler: Handler
  /** The address users reach. */
  readonly publicUrl: string
  readonly version: string
  /** What it does by itself; resolves some time after it was told to stop. */
  work(): Promise<void>
  close(): void
}

/** Long enough for every provider's deadline, and below what service managers wait before they kill. */
const DRAIN_MAX_MS = 25_000

/**
 * Serves until it is asked to stop, then lets what is under way finish and returns 0; 1 when they do not finish in
 * time. `compose` puts the service together once the address it listens on is known.
 */
export async function serve({
  listener,
  compose,
  log,
  supervisor,
  stopRequested,
  wait,
}: {
  listener: Listener
  compose: (url: string) => Promise<Service>
  log: Log
  supervisor: Supervisor
  stopRequested: Promise<string>
  /** Resolves after so many milliseconds. */
  wait: (milliseconds: number) => Promise<void>
}): Promise<number> {
  const service = await compose(listener.url)
  listener.use(service.handler)
  const { url, port } = listener
  log.info('serving', { url, port, publicUrl: service.publicUrl })
  supervisor.ready(`serves at ${url}, version ${service.version}`)
  const work = service.work()

  const signal = await stopRequested
  supervisor.stopping('finishes what is under way')
  log.info('stopping: what is under way is finished first', { signal })
  const drained = await Promise.race([
    Promise.all([listener.part().then(listener.stop), work]).then(() => true),
    wait(DRAIN_MAX_MS).then(() => false),
  ])
  service.close()
  if (!drained) log.warn('stopped with work still under way')
  else log.info('stopped')
  return drained ? EXIT.done : EXIT.failed
}
