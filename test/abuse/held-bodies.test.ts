import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { openProduction, SECRETS } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { megabytes, printFigures, tally } from '../support/stress/figures.ts'
import { hasProcessFigures, residentBytes } from '../support/stress/process-figures.ts'
import { rawRequest } from '../support/stress/raw-connection.ts'
import { signedDelivery, stripeEvent } from '../support/stripe/stripe-events.ts'

// Bodies that never end: each is all but its last byte, and is held for as long as the service lets it.

const CONNECTIONS = 400
const MIB = 1024 * 1024

/** A connection that the service cuts may lose the answer, so that either of both counts as refused. */
type Held = { readonly socket: Socket; status: string | null; isRefused: boolean }

/** Sends heads with bodies that lack their last byte, each from the address given for it, and hears what comes back. */
function hold(
  { url }: Pick<AlibiProcess, 'url'>,
  {
    path,
    bytes,
    headers = {},
    from,
  }: {
    path: string
    bytes: number
    headers?: Record<string, string>
    from: (index: number) => string
  },
): readonly Held[] {
  const { port } = new URL(url)
  const head = rawRequest('POST', path, { headers: { ...headers, 'Content-Length': `${bytes}` } })
  const body = Buffer.alloc(bytes - 1, 'x')
  return Array.from({ length: CONNECTIONS }, (_, index) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: from(index) })
    const held: Held = { socket, status: null, isRefused: false }
    socket.on('error', () => {})
    socket.on('close', () => {
      held.isRefused = true
    })
    socket.on('data', (data) => {
      held.status ??= String(data).slice(9, 12)
      held.isRefused = true
    })
    socket.write(head)
    socket.write(body)
    return held
  })
}

/** As strangers do: all from one address, or eight each from fifty, which is as many as a client may hold. */
const ONE_ADDRESS = () => '127.0.0.1'
const FIFTY_ADDRESSES = (index: number) => `127.0.1.${1 + (index % 50)}`

const forged = () => ({
  'Stripe-Signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
})
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** A notification that Stripe has signed, whole and at once, from an address of its own. */
async function notify({ url }: Pick<AlibiProcess, 'url'>): Promise<string> {
  const { payload, signature } = await signedDelivery(stripeEvent('customer.created.unhandled'), {
    secret: SECRETS.STRIPE_WEBHOOK_SECRET,
    at: new Date(),
  })
  const request = rawRequest('POST', '/webhook/stripe', {
    headers: { 'Stripe-Signature': signature, Connection: 'close' },
    body: Buffer.from(payload).toString(),
  })
  const { port } = new URL(url)
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: '127.0.2.1' })
  socket.write(request)
  const answer = await Array.fromAsync(socket, String)
  return answer.join('').slice(9, 12)
}

// Without a budget each of them takes some 500 MB.
test.each([
  {
    attack: 'unsigned notifications from one address',
    from: ONE_ADDRESS,
    request: () => ({ path: '/webhook/stripe', bytes: MIB }),
    refused: { status: '400', times: CONNECTIONS },
    growthMax: 60 * MIB,
  },
  {
    attack: 'notifications under a wrong signature from one address',
    from: ONE_ADDRESS,
    request: () => ({ path: '/webhook/stripe', bytes: MIB, headers: forged() }),
    refused: { status: '503', times: CONNECTIONS - 8 },
    growthMax: 120 * MIB,
  },
  {
    attack: 'notifications under a wrong signature from fifty addresses',
    from: FIFTY_ADDRESSES,
    request: () => ({ path: '/webhook/stripe', bytes: MIB, headers: forged() }),
    refused: { status: '503', times: CONNECTIONS - 24 },
    growthMax: 160 * MIB,
  },
  {
    attack: 'bodies of 1 MiB at a path that takes 64 KiB, from fifty addresses',
    from: FIFTY_ADDRESSES,
    request: () => ({ path: '/auth/login', bytes: MIB, headers: JSON_TYPE }),
    refused: { status: '413', times: CONNECTIONS },
    growthMax: 160 * MIB,
  },
])(
  'memory stays bounded under $attack, and Stripe is heard',
  async ({ attack, from, request, refused: { status, times }, growthMax }) => {
    if (!hasProcessFigures()) {
      process.stdout.write('not tested here: memory under held bodies (no /proc)\n')
      return
    }
    await using production = await openProduction()
    const alibi = await production.start()
    expect(await notify(alibi)).toBe('200')
    const before = residentBytes(alibi.pid)
    let most = before
    const held = hold(alibi, { ...request(), from })
    try {
      const statuses = () => held.flatMap(({ status }) => status ?? [])
      await until('most are refused', () => {
        most = Math.max(most, residentBytes(alibi.pid))
        return held.filter(({ isRefused }) => isRefused).length >= times
      })
      expect(await notify(alibi)).toBe('200')
      most = Math.max(most, residentBytes(alibi.pid))
      printFigures(
        `held bodies, ${attack}`,
        `${CONNECTIONS} of ${request().bytes} bytes but one: ${tally(statuses())}; ` +
          `memory ${megabytes(before)}, at most ${megabytes(most)}`,
      )
      expect(new Set(statuses())).toEqual(new Set([status]))
      expect(most - before).toBeLessThan(growthMax)
      expect(await alibi.stop()).toBe(0)
    } finally {
      for (const { socket } of held) socket.destroy()
    }
  },
)
