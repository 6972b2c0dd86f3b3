import { SECOND_MS } from '../../domain/duration.ts'
import type { Timers } from './sending-pace.ts'
import type { SmtpSession } from './smtp-session.ts'

/** Less than servers wait: RFC 5321, section 4.5.3.2.7, has five minutes, and many have one. */
const IDLE_MS = 30 * SECOND_MS

/** Connections to one mail server, kept open for a while for the next mail. */
export type SmtpPool = {
  /** Lends a connection to `use`; `signal` breaks it off. One that `use` throws on is not lent again. */
  use<Result>(
    use: (lent: { session: SmtpSession; isFresh: boolean }) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>
  /** Ends all that are idle, and from now on each when it is given back. */
  stop(): void
}

export function smtpPool({
  open,
  timers,
}: {
  open: (signal: AbortSignal) => Promise<SmtpSession>
  timers: Timers
}): SmtpPool {
  const idle = new Map<SmtpSession, () => void>()
  let isStopped = false

  function takeIdle(): SmtpSession | null {
    for (const [session, cancelEnd] of [...idle].reverse()) {
      idle.delete(session)
      cancelEnd()
      if (session.isOpen()) return session
    }
    return null
  }

  function giveBack(session: SmtpSession): void {
    if (!session.isOpen()) return
    if (isStopped) {
      session.quit()
      return
    }
    const end = () => {
      idle.delete(session)
      session.quit()
    }
    idle.set(session, timers.schedule(IDLE_MS, end))
  }

  return {
    async use(use, signal) {
      const known = takeIdle()
      const session = known ?? (await open(signal))
      const close = () => session.close()
      signal.addEventListener('abort', close, { once: true })
      try {
        const result = await use({ session, isFresh: known === null })
        giveBack(session)
        return result
      } catch (error) {
        session.close()
        throw error
      } finally {
        signal.removeEventListener('abort', close)
      }
    },
    stop() {
      isStopped = true
      for (const [session, cancelEnd] of idle) {
        cancelEnd()
        session.quit()
      }
      idle.clear()
    },
  }
}
