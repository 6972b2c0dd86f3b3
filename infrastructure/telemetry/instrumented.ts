import { LOG_EVENTS } from '../../application/log-events.ts'
import type { Log, Mailer, PaymentCalls } from '../../application/ports.ts'
import type { ProviderCall, Telemetry } from '../../application/telemetry.ts'
import { Unavailable } from '../../application/unavailable.ts'

/** For a service without metrics, and for commands that are over in a moment. */
export const NO_TELEMETRY: Telemetry = { record() {} }

/** The same log, and telemetry counts every warning and error, also those that LOG_LEVEL leaves out. */
export function countedLog(log: Log, telemetry: Telemetry): Log {
  return (event, fields) => {
    const { level } = LOG_EVENTS[event]
    if (level === 'warn' || level === 'error') telemetry.record({ kind: 'logged', level })
    log(event, fields)
  }
}

type Instruments = {
  readonly telemetry: Telemetry
  readonly log: Log
  /** Milliseconds that pass evenly, even where the clock is set. */
  readonly monotonicMs: () => number
}

/** The same mailer, and telemetry hears how long each mail took and how it ended; so does the log at level debug. */
export function measuredMailer(mailer: Mailer, instruments: Instruments): Mailer {
  const measure = measurement('email', instruments)
  return {
    sendOtp: (mail) => measure('code', () => mailer.sendOtp(mail)),
    sendPaymentNotice: (notice) => measure(notice.kind, () => mailer.sendPaymentNotice(notice)),
  }
}

/**
 * The same calls, and telemetry hears of each under its name in snake case, as the log does at level debug. The price
 * is left out: the provider is asked for it once.
 */
export function measuredPayments(payments: PaymentCalls, instruments: Instruments): PaymentCalls {
  const measure = measurement('payment', instruments)
  const calls = Object.entries(payments).map(([name, call]) => [
    name,
    (...args: unknown[]) => measure(snakeCase(name), () => Reflect.apply(call, payments, args)),
  ])
  return { ...Object.fromEntries(calls), price: payments.price }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function measurement(
  provider: ProviderCall['provider'],
  { telemetry, log, monotonicMs }: Instruments,
): <Result>(operation: string, call: () => Promise<Result>) => Promise<Result> {
  return async (operation, call) => {
    const startedAtMs = monotonicMs()
    function end(failure: ProviderCall['failure']) {
      const ms = monotonicMs() - startedAtMs
      telemetry.record({ kind: 'provider_called', provider, operation, ms, failure })
      log('provider.called', { provider, operation, ms: Math.round(ms), failure })
    }
    try {
      const result = await call()
      end(null)
      return result
    } catch (error) {
      end(failureOf(error))
      throw error
    }
  }
}

function failureOf(error: unknown): Exclude<ProviderCall['failure'], null> {
  if (!(error instanceof Unavailable)) return 'fault'
  return error.needsOperator ? 'refused' : 'unavailable'
}
