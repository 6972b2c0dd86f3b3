/** A mail as Resend's API takes it. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Record<string, string>
}

/** A local server that takes mails as Resend does, and keeps them: also those that it then refuses. */
export function startMailbox() {
  const mails: Mail[] = []
  const keys = new Set<string>()
  const refusals: ((mail: Mail) => Response)[] = []
  const holds: { arrived(): void; released: Promise<void> }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname !== '/emails') return new Response(null, { status: 404 })
      const { to, ...rest } = (await request.json()) as Omit<Mail, 'to'> & { to: string | string[] }
      const mail = { ...rest, to: Array.isArray(to) ? to.join() : to }
      mails.push(mail)
      keys.add(request.headers.get('authorization') ?? 'none')
      const refuse = refusals.shift()
      if (refuse) return refuse(mail)

      const hold = holds.shift()
      hold?.arrived()
      await hold?.released
      return Response.json({ id: crypto.randomUUID() })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    mails,
    /** Every Authorization header that came. */
    keys,
    /** Answers the next mail in this way instead. */
    refuse: (answer: (mail: Mail) => Response) => void refusals.push(answer),
    /** Keeps the next mail under way until `release` is called; `arrived` resolves once it is here. */
    hold() {
      const { promise: arrived, resolve } = Promise.withResolvers<void>()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      holds.push({ arrived: resolve, released })
      return { arrived, release }
    },
    /** The code in the latest mail to the address, from the subject that starts with it. */
    latestCode(address: string): string {
      const mail = mails.findLast(({ to }) => to === address)
      const code = /^[0-9]{6}/.exec(mail?.subject ?? '')?.[0]
      if (!code) throw new Error(`no code was mailed to ${address}`)
      return code
    },
    stop: () => server.stop(true),
  }
}
