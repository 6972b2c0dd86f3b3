import { expect, expectTypeOf, test } from 'bun:test'
import { treaty } from '@elysiajs/eden'
import { LANGUAGES } from '../../../../domain/language.ts'
import type { Alibi } from '../../../../interfaces/http/app.ts'
import { openHttp, PEER } from '../../../support/http/http-client.ts'

/** A typed client of the service in this process. */
function typedClient() {
  const { handler } = openHttp()
  // Eden asks with addresses only.
  const fetcher = async (input: string | URL | Request, init?: RequestInit) =>
    handler(new Request(String(input), init), () => PEER)
  return treaty<Alibi>('http://localhost', {
    fetcher: Object.assign(fetcher, { preconnect: () => {} }),
  })
}

test("a typed client knows an answer's fields", async () => {
  const { data } = await typedClient().languages.get()
  expectTypeOf(data?.languages).toEqualTypeOf<typeof LANGUAGES | undefined>()
  expect(data?.languages).toEqual(LANGUAGES)
})

test('a typed client knows the words of each error, by its status', async () => {
  const { error } = await typedClient()['premium-reasons'].get({ query: {} })
  if (error?.status !== 401) throw new Error(`answered ${error?.status}`)
  expectTypeOf(error.value.error).toEqualTypeOf<
    'Missing token' | 'Invalid or expired token' | 'Invalid or expired code'
  >()
  expect(error.value.error).toBe('Missing token')
})

test('a typed client expects no error that is never answered', async () => {
  const { error } = await typedClient().auth['verify-email'].post({ email: 'no address' })
  expectTypeOf<Extract<typeof error, { status: 422 }>>().toBeNever()
  expect(error?.status).toBe(400)
})
