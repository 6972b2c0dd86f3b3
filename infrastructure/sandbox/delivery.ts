import { request } from 'node:http'
import type { SandboxDelivery } from './webhook-sender.ts'

/**
 * Posts a notification to a service on this machine; true once it was taken. By node:http, since fetch would send even
 * this through the HTTP_PROXY of the environment.
 */
export function postNotification(
  url: string,
  { payload, signature }: SandboxDelivery,
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  request(url, { method: 'POST', headers, agent: false }, (response) => {
    response.resume()
    resolve(response.statusCode === 200)
  })
    .on('error', reject)
    .end(payload)
  return promise
}
