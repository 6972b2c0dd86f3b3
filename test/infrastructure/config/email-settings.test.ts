import { describe, expect, test } from 'bun:test'
import { blamed, development } from '../../support/config-loading.ts'

describe('who sends the mail', () => {
  test('a Resend key switches development to Resend, and EMAIL_PROVIDER overrules it', () => {
    const resend = { RESEND_API_KEY: 're_1' }
    expect(development(resend).email).toEqual({ provider: 'resend', apiKey: 're_1', baseUrl: null })
    expect(development({ ...resend, EMAIL_PROVIDER: 'console' }).email.provider).toBe('console')
    expect(blamed(() => development({ EMAIL_PROVIDER: 'resend' }))).toEqual(['RESEND_API_KEY'])
  })
})
