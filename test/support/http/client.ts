/** A JSON client of a running Alibi, as its users would write one. */
export function client(url: string) {
  async function call(
    method: string,
    path: string,
    options: { body?: unknown; token?: string } = {},
  ) {
    const headers: Record<string, string> = {}
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    if (options.token) headers['authorization'] = `Bearer ${options.token}`
    const response = await fetch(url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Record<string, unknown>,
    }
  }
  return {
    get: (path: string, token?: string) => call('GET', path, token === undefined ? {} : { token }),
    post: (path: string, body?: unknown, token?: string) =>
      call('POST', path, {
        ...(body === undefined ? {} : { body }),
        ...(token === undefined ? {} : { token }),
      }),
  }
}
