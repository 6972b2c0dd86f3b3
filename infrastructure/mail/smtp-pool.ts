import { SECOND_MS } from '../../domain/duration.ts'
import type { Timers } from './sending-pace.ts'
import type { SmtpSession } from './smtp-session.ts'

/** What servers allow one sender at a time, and more than enough: Alibi's mails are small. */
const CONNECTIONS_MAX = 5
/** Less than servers wait: RFC 5321, section 4.5.3.2.7, has five minutes, and many have one. */
const IDLE_MS = 30 * SECOND_MS

type Waiting = { readonly isCustomer: boolean; readonly begin: () => void }

/** Connections to one mail server, kept open for a while for the next mail. */
export type SmtpPool = {
  /**
   * Lends a connection to `use`, at most five at a time; customers are served first. One that `use` throws on is not
   * lent again. Rejects with what `signal` was aborted for where none is free by then.
   */
  use<Result>(
    use: (lent: { session: SmtpSession; isFresh: boolean }) => Promise<Result>,
    question: { isCustomer: boolean; signal: AbortSignal },
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
  const waiting: Waiting[] = []
  let lent = 0
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

  /** Resolves once fewer than all connections are lent. */
  function turn({ isCustomer, signal }: { isCustomer: boolean; signal: AbortSignal }) {
    if (lent < CONNECTIONS_MAX) {
      lent++
      return Promise.resolve()
    }
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        lent++
        resolve()
      }
      const entry = { isCustomer, begin }
      waiting.push(entry)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  function nextTurn(): void {
    lent--
    const customer = waiting.findIndex(({ isCustomer }) => isCustomer)
    const [next] = waiting.splice(Math.max(customer, 0), 1)
    next?.begin()
  }

  return {
    async use(use, question) {
      await turn(question)
      try {
        const known = takeIdle()
        const session = known ?? (await open(question.signal))
        const close = () => session.close()
        question.signal.addEventListener('abort', close, { once: true })
        try {
          const result = await use({ session, isFresh: known === null })
          giveBack(session)
          return result
        } catch (error) {
          session.close()
          throw error
        } finally {
          question.signal.removeEventListener('abort', close)
        }
      } finally {
        nextTurn()
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
