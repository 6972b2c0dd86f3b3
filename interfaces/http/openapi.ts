import { createApp } from './app.ts'
import type { HttpOptions } from './request/options.ts'

/** The document that GET /openapi.json answers, without a server. */
export async function openApiDocument(options: HttpOptions): Promise<object> {
  const response = await createApp(options).handle(new Request('http://localhost/openapi.json'))
  return (await response.json()) as object
}
