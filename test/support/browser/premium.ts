import { expect } from 'bun:test'
import { nextClientAddress } from './browser-setup.ts'

/** Makes of an address one that has paid, without a browser. */
export async function givePremium(url: string, email: string): Promise<void> {
  const client = { 'content-type': 'application/json', 'x-forwarded-for': nextClientAddress() }
  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: client,
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as Record<string, unknown>
  }

  const { devCode: code } = await post('/auth/verify-email', { email })
  await post('/auth/confirm-email', { email, code })
  const { checkoutUrl } = await post('/checkout', { email })
  await pressInSandbox(String(checkoutUrl), 'pay')
}

/** Presses a button of the sandbox while the browser shows something else, or nothing. */
export async function pressInSandbox(session: string, action: string): Promise<void> {
  const body = new URLSearchParams({ action })
  const { status } = await fetch(session, { method: 'POST', body, redirect: 'manual' })
  expect(status).toBe(303)
}
