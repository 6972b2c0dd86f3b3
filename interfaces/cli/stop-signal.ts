/** A request to stop, from another process or the user. */
export type StopRequest = {
  /** Resolves with the name of the signal. */
  readonly requested: Promise<string>
  /** Aborted at that moment. */
  readonly stopping: AbortSignal
}

/** The first of the signals asks to stop; from then on they do what they do by default. */
export function untilSignal(...signals: readonly NodeJS.Signals[]): StopRequest {
  const { promise: requested, resolve } = Promise.withResolvers<string>()
  const controller = new AbortController()
  function request(signal: NodeJS.Signals) {
    for (const one of signals) process.off(one, request)
    controller.abort()
    resolve(signal)
  }
  for (const signal of signals) process.on(signal, request)
  return { requested, stopping: controller.signal }
}
