import type { seededRandom } from '../seeded-random.ts'
import { WEBHOOK_SECRET } from './payment-gateways.ts'

/** https://docs.stripe.com/webhooks#replay-attacks */
export const TOLERANCE_S = 300

type Random = ReturnType<typeof seededRandom>

/** A delivery as it is sent. Null is no header at all. */
export type Sent = {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly header: string | null
}

/** A delivery that is good: Stripe's own bytes, signed at `t` with the secret. */
export type Genuine = {
  readonly text: string
  readonly t: number
  readonly v1: string
  /** The present, in seconds. */
  readonly now: number
}

export function hmac(text: string, secret = WEBHOOK_SECRET): string {
  return new Bun.CryptoHasher('sha256', secret).update(text).digest('hex')
}

/** What Stripe would send, if it signed with this secret at that time. */
export function signed(text: string, t: number | string, secret = WEBHOOK_SECRET): Sent {
  return { body: text, header: `t=${t},v1=${hmac(`${t}.${text}`, secret)}` }
}

export function randomHex(random: Random, length: number): string {
  return Array.from({ length }, () => random.below(16).toString(16)).join('')
}

/** Cuts the text in two and puts something between, or in place of `taken` characters. */
function splice(text: string, at: number, taken: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at + taken)
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** What is not Latin is sent in a header as its bytes. */
function asHeader(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function reordered(text: string): string {
  const entries = Object.entries(JSON.parse(text))
  return JSON.stringify(Object.fromEntries(entries.toReversed()), null, 2)
}

/** Every known way to forge a delivery, from a good one or from nothing. The service must refuse each of them. */
export const FORGERIES: readonly (readonly [string, (genuine: Genuine, random: Random) => Sent])[] =
  [
    // The header as a whole.
    ['no header', ({ text }) => ({ body: text, header: null })],
    ['an empty header', ({ text }) => ({ body: text, header: '' })],
    [
      'a header of other words',
      ({ text }, random) => ({ body: text, header: `Bearer ${randomHex(random, 64)}` }),
    ],
    ['a header in quotes', ({ text, t, v1 }) => ({ body: text, header: `"t=${t},v1=${v1}"` })],
    [
      'other separators',
      ({ text, t, v1 }, random) => {
        const separator = random.pick([';', ' ', ', ', ',,v', '%2C', '\t', ',\u00a0'])
        return { body: text, header: `t=${t}${separator}v1=${v1}` }
      },
    ],
    [
      'a header of up to 100,000 characters',
      ({ text, t }, random) => ({
        body: text,
        header: `t=${t},v1=${randomHex(random, 64)}`.padEnd(1000 + random.below(99_000), ',x=y'),
      }),
    ],

    // The secret.
    ['another secret', ({ text, t }, random) => signed(text, t, `whsec_${randomHex(random, 32)}`)],
    [
      "the secret of the live mode's webhook",
      ({ text, t }) =>
        signed(JSON.stringify({ ...JSON.parse(text), livemode: true }), t, 'whsec_live'),
    ],
    ['an empty secret', ({ text, t }) => signed(text, t, '')],
    [
      'the secret without its prefix',
      ({ text, t }) => signed(text, t, WEBHOOK_SECRET.replace('whsec_', '')),
    ],
    ['the secret in other letters', ({ text, t }) => signed(text, t, WEBHOOK_SECRET.toUpperCase())],

    // The signature.
    ['only a v0', ({ text, t, v1 }) => ({ body: text, header: `t=${t},v0=${v1}` })],
    [
      'a scheme that nobody knows',
      ({ text, t, v1 }, random) => {
        const scheme = random.pick(['V1', 'v2', 'v11', 'v', 'v1 ', 'sha256', 'v1[]'])
        return { body: text, header: `t=${t},${scheme}=${v1}` }
      },
    ],
    ['no signature', ({ text, t }) => ({ body: text, header: `t=${t}` })],
    [
      'an empty signature',
      ({ text, t }, random) => ({ body: text, header: `t=${t},v1${random.pick(['', '=', '=='])}` }),
    ],
    [
      'a signature cut short',
      ({ text, t, v1 }, random) => ({
        body: text,
        header: `t=${t},v1=${v1.slice(0, random.below(64))}`,
      }),
    ],
    [
      'a signature with more behind it',
      ({ text, t, v1 }, random) => ({
        body: text,
        header: `t=${t},v1=${v1}${randomHex(random, 1 + random.below(64))}`,
      }),
    ],
    [
      'a signature in upper case',
      ({ text, t, v1 }) => ({ body: text, header: `t=${t},v1=${v1.toUpperCase()}` }),
    ],
    [
      'a signature with one bit flipped',
      ({ text, t, v1 }, random) => {
        const at = random.below(64)
        const flipped = (Number.parseInt(v1.charAt(at), 16) ^ (1 << random.below(4))).toString(16)
        return { body: text, header: `t=${t},v1=${splice(v1, at, 1, flipped)}` }
      },
    ],
    [
      'a signature in base64',
      ({ text, t, v1 }) => ({
        body: text,
        header: `t=${t},v1=${Buffer.from(v1, 'hex').toString('base64')}`,
      }),
    ],
    [
      'many signatures, none of them right',
      ({ text, t }, random) => {
        const count = 2 + random.below(200)
        const wrong = Array.from({ length: count }, () => `v1=${randomHex(random, 64)}`)
        return { body: text, header: `t=${t},${wrong.join()}` }
      },
    ],
    [
      'a signature over the body without the time',
      ({ text, t }) => ({ body: text, header: `t=${t},v1=${hmac(text)}` }),
    ],
    [
      'a signature over the body before the time',
      ({ text, t }) => ({ body: text, header: `t=${t},v1=${hmac(`${text}.${t}`)}` }),
    ],
    [
      'a signature that anybody can compute',
      ({ text, t }) => ({
        body: text,
        header: `t=${t},v1=${new Bun.CryptoHasher('sha256').update(`${t}.${text}`).digest('hex')}`,
      }),
    ],

    // The time.
    ['no time', ({ text, v1 }) => ({ body: text, header: `v1=${v1}` })],
    [
      'another time before or after the one that was signed',
      ({ text, t, v1, now }, random) => {
        const others = [now + 1, t - 1, 0].filter((other) => other !== t)
        return { body: text, header: `t=${t},v1=${v1},t=${random.pick(others)}` }
      },
    ],
    ['a negative time', ({ text, t }) => signed(text, -t)],
    [
      'a time in words',
      ({ text }, random) =>
        signed(text, random.pick(['NaN', 'now', 'Infinity', 'null', '', 'true'])),
    ],
    ['a time with a fraction', ({ text, t }, random) => signed(text, `${t}.${random.below(1000)}`)],
    [
      'a time that the SDK takes for no number, signed as that',
      ({ text }) => {
        const header = `t=x,v1=${hmac(`NaN.${text}`)}`
        return { body: text, header }
      },
    ],
    [
      'more behind the time that was signed',
      ({ text, t, v1 }) => ({ body: text, header: `t=${t} .5,v1=${v1}` }),
    ],
    ['a time twice', ({ text, t, v1 }) => ({ body: text, header: `t=${t},t=${t},v1=${v1}` })],
    [
      'a time in digits of another script',
      ({ text, t }, random) => {
        const zero = random.pick([0x0660, 0x0966, 0xff10, 0x1d7ce])
        const digits = [...String(t)].map((digit) => String.fromCodePoint(zero + Number(digit)))
        const { body, header } = signed(text, digits.join(''))
        return { body, header: asHeader(header ?? '') }
      },
    ],
    [
      'a time in other notations',
      ({ text, t }, random) =>
        signed(
          text,
          random.pick([`0x${t.toString(16)}`, `+${t}`, `0${t}`, t.toExponential(), `${t}s`]),
        ),
    ],
    [
      'the time moved into the future',
      ({ text, now, v1 }, random) => ({
        body: text,
        header: `t=${now + TOLERANCE_S + 1 + random.below(1_000_000)},v1=${v1}`,
      }),
    ],
    [
      'the time in milliseconds',
      ({ text, t, v1 }) => ({ body: text, header: `t=${t * 1000},v1=${v1}` }),
    ],
    [
      'a time more than five minutes ago',
      ({ text, now }, random) => signed(text, now - TOLERANCE_S - 1 - random.below(1_000_000)),
    ],
    [
      'an old signature under a new time',
      ({ text, now }, random) => {
        const old = signed(text, now - TOLERANCE_S - 1 - random.below(1_000_000))
        return { ...old, header: `t=${now},${old.header?.split(',')[1]}` }
      },
    ],

    // The body.
    [
      'a body with one byte changed',
      ({ text, t, v1 }, random) => {
        const body = utf8(text)
        const at = random.below(body.length)
        body[at] = (body[at] ?? 0) ^ (1 << random.below(7))
        return { body, header: `t=${t},v1=${v1}` }
      },
    ],
    [
      'a body with another amount',
      ({ text, t, v1 }, random) => {
        const { data, ...event } = JSON.parse(text)
        const object = {
          ...data.object,
          amount: random.below(400),
          amount_total: random.below(400),
        }
        const altered = JSON.stringify({ ...event, data: { ...data, object } }, null, 2)
        return { body: altered, header: `t=${t},v1=${v1}` }
      },
    ],
    [
      'a body that was read and written anew',
      ({ text, t, v1 }) => ({ body: JSON.stringify(JSON.parse(text)), header: `t=${t},v1=${v1}` }),
    ],
    [
      'a body with its keys in another order',
      ({ text, t, v1 }) => ({ body: reordered(text), header: `t=${t},v1=${v1}` }),
    ],
    [
      'a body with something before or behind it',
      ({ text, t, v1 }, random) => {
        const more = random.pick(['\n', '\r\n', ' ', '\0', '\t', '{}', ','])
        return { body: random.pick([text + more, more + text]), header: `t=${t},v1=${v1}` }
      },
    ],
    [
      'a body behind a byte order mark',
      ({ text, t, v1 }) => ({ body: utf8(`\ufeff${text}`), header: `t=${t},v1=${v1}` }),
    ],
    [
      'a body in UTF-16',
      ({ text, t, v1 }) => ({
        body: new Uint8Array(Buffer.from(text, 'utf16le')),
        header: `t=${t},v1=${v1}`,
      }),
    ],
    [
      'a body with a byte that a careless reading takes for the one that was signed',
      ({ text, t }) => {
        const noted = JSON.stringify({ ...JSON.parse(text), note: '\ufffd' })
        const [before = '', after = ''] = noted.split('\ufffd')
        const body = new Uint8Array([...utf8(before), 0xff, ...utf8(after)])
        return { body, header: signed(noted, t).header }
      },
    ],
    [
      'a body cut short',
      ({ text, t, v1 }, random) => ({
        body: text.slice(0, random.below(text.length)),
        header: `t=${t},v1=${v1}`,
      }),
    ],
    [
      'the signature of another body',
      ({ text, t }, random) => {
        const other = text.replace(/"evt_\w+"/, `"evt_${randomHex(random, 24)}"`)
        return { body: text, header: signed(other, t).header }
      },
    ],
  ]
