// Takes every mail as Resend's API does, and forgets it.

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  async fetch(request) {
    await request.arrayBuffer()
    return Response.json({ id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' })
  },
})
