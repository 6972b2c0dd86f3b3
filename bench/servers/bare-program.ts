// The server that everything is compared with: it answers every request with the same JSON.

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  fetch: () =>
    Response.json({
      reason: 'My calendar and I are not on speaking terms today.',
      language: 'en',
      email: 'reader-000000@example.com',
    }),
})
console.log(server.url.origin)
