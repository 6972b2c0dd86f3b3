import type { LogEvent } from './log-events.ts'
import type { LogFields, Ports } from './ports.ts'
import { Unavailable } from './unavailable.ts'

const MESSAGE_LENGTH_MAX = 500
const CAUSES_MAX = 5
/** Longer texts are cut before anything is looked for in them. */
const LOOKED_AT_MAX = 20 * MESSAGE_LENGTH_MAX
/** Anything shorter is a word like any other, and a text without it could not be read. */
const SECRET_LENGTH_MIN = 4

/** What may be private in a message: an address, a code, and any text long enough to be a token or a key. */
const PRIVATE = /\S*@\S*|[\p{L}\p{Nd}_+/=.-]{24,}|\p{Nd}{6,}/gu

/** The secrets that the process has read from its settings: the longest first, which may begin with another one. */
let knownSecrets: readonly { readonly secret: string; readonly pattern: RegExp }[] = []

/** From now on the secret is in no report of an error, whatever others put into their words. */
export function keepSecret(secret: string): void {
  if (secret.length < SECRET_LENGTH_MIN) return
  if (knownSecrets.some((known) => known.secret === secret)) return
  const all = [...knownSecrets, { secret, pattern: secretPattern(secret) }]
  knownSecrets = all.toSorted((left, right) => right.secret.length - left.secret.length)
}

/**
 * Words from outside without the secrets that are kept: plain, percent-encoded in any part, and in Base64, also within
 * what was encoded with them, such as a log-in. Has to come before whatever cuts the words or takes a part of them out.
 */
export function withoutSecrets(words: string): string {
  const start = words.slice(0, LOOKED_AT_MAX)
  return knownSecrets.reduce((masked, { pattern }) => masked.replace(pattern, '[…]'), start)
}

function secretPattern(secret: string): RegExp {
  const typed = Array.from(secret, (character) => {
    const plus = character === ' ' ? '|\\+' : ''
    return `(?:${literally(character)}|${percentEncoded(character)}${plus})`
  })
  return new RegExp([typed.join(''), ...inBase64(secret)].join('|'), 'g')
}

function literally(text: string): string {
  return text.replace(/[^\w]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function percentEncoded(character: string): string {
  const digits = Buffer.from(character).toString('hex')
  return digits
    .replace(/../g, '%$&')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

/** Three bytes are four letters, so a secret looks in three ways, by what stands in front of it. */
function inBase64(secret: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const own = bytes
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
    const pattern = own.replaceAll('+', '(?:[+-]|%2[bB])').replaceAll('/', '(?:[/_]|%2[fF])')
    return `${pattern}[\\w+/=-]*`
  })
}

/** An error and its causes in one line for an operator. It may quote private data, but no secret of the settings. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutSecrets(String(error))
  const message = withoutSecrets(error.message)
  return error.cause === undefined ? message : `${message}: ${reasonOf(error.cause)}`
}

/**
 * What the log may say about an error: `error` is its summary, `stack` shows where it and its causes were thrown.
 * Neither quotes text that could be an address, a code, a token or a key.
 */
export function reportFault(error: unknown): { readonly error: string; readonly stack: string } {
  const stack = causesOf(error).map(framesOf).filter(Boolean).join('\n  caused by\n')
  return { error: summariseError(error), stack }
}

/** An error and its causes in one line for the log, without what may be private. */
export function summariseError(error: unknown): string {
  return causesOf(error).map(summarise).join(' <- ')
}

/** The events for a fault of work in the background, by the part that it ended. */
type FaultEvent = Extract<
  LogEvent,
  'task.failed' | 'outbox.failed' | 'reconcile.sweep_failed' | 'reconcile.object_failed'
>

/** Logs a failure and its reason: an outage as `logOutage` does, and a fault as the event `fault`. */
export function logFailure(
  ports: Pick<Ports, 'log'>,
  error: unknown,
  fault: FaultEvent,
  fields: LogFields,
): void {
  if (error instanceof Unavailable) logOutage(ports, error, fields)
  else ports.log(fault, { ...fields, ...reportFault(error) })
}

/**
 * Logs an outage and its reason: at level warn where it may pass by itself, and at level error where it will not, such
 * as a key that is no longer valid, or a price that nothing can be sold at.
 */
export function logOutage(
  { log }: Pick<Ports, 'log'>,
  error: Unavailable,
  fields: LogFields,
): void {
  const { outage, setting, isPriceUnusable } = error
  const reported = { ...fields, outage, ...reportFault(error) }
  if (setting === null) log('provider.unavailable', reported)
  else log(isPriceUnusable ? 'price.unusable' : 'provider.key_refused', { setting, ...reported })
}

/** Logs that the payment provider is out of reach, and returns the outage. Throws any other error. */
export function logPaymentOutage(
  ports: Pick<Ports, 'log'>,
  error: unknown,
  fields: LogFields,
): Unavailable {
  if (!(error instanceof Unavailable) || error.outage !== 'payment') throw error
  logOutage(ports, error, fields)
  return error
}

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [error]
  let last = error
  while (last instanceof Error && last.cause !== undefined && chain.length < CAUSES_MAX) {
    last = last.cause
    chain.push(last)
  }
  return chain
}

function summarise(error: unknown): string {
  if (!(error instanceof Error)) return `thrown ${error === null ? 'null' : typeof error}`
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const message = withoutSecrets(error.message).slice(0, MESSAGE_LENGTH_MAX).replace(PRIVATE, '…')
  return `${error.name}${code}: ${message}`
}

/** The frames alone: the lines above them repeat the message. */
function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return withoutSecrets(frames.join('\n'))
}
