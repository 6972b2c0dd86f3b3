/** A mail as Resend's API takes it. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Record<string, string>
}

/** A local server that takes mails as Resend does, and keeps them. */
export function startMailbox() {
  const mails: Mail[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname !== '/emails') return new Response(null, { status: 404 })
      const { to, ...mail } = (await request.json()) as Omit<Mail, 'to'> & { to: string | string[] }
      mails.push({ ...mail, to: Array.isArray(to) ? to.join() : to })
      return Response.json({ id: crypto.randomUUID() })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    mails,
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
