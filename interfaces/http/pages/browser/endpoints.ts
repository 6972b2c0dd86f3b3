import type { Language } from '../../../../domain/language.ts'
import type { PageWords } from '../page-data.ts'
import type { apiClient } from './api.ts'
import type { Excuse, PickedExcuse } from './excuse.ts'
import type { openSession } from './session.ts'

export type Endpoints = ReturnType<typeof endpointsOf>

/** What the page asks of the service. Each throws a `Problem`. */
export function endpointsOf(
  { call }: Pick<ReturnType<typeof apiClient>, 'call'>,
  { expiredTokenOf }: Pick<ReturnType<typeof openSession>, 'expiredTokenOf'>,
) {
  return {
    verifyEmail: (email: string, lang: Language) =>
      call<{ devCode?: string }>('POST', '/auth/verify-email', {
        body: { email, lang },
        token: expiredTokenOf(email),
      }),
    confirmEmail: (email: string, code: string, codeChallenge: string | undefined) =>
      call<{ token?: string; payment?: string }>('POST', '/auth/confirm-email', {
        body: { email, code, codeChallenge },
        token: expiredTokenOf(email),
      }),
    logInVerified: (email: string, codeVerifier: string) =>
      call<{ token: string }>('POST', '/auth/token', { body: { email, codeVerifier } }),
    startCheckout: (email: string, codeVerifier: string | undefined, lang: Language) =>
      call<{ checkoutUrl: string }>('POST', '/checkout', { body: { email, codeVerifier, lang } }),
    /** `choice` is the rest of the query. */
    async pickReason(lang: Language, choice: string, token: string | null): Promise<PickedExcuse> {
      const query = `lang=${lang}${choice && `&${choice}`}`
      const { widened, ...excuse } = await call<Excuse & { readonly widened?: unknown }>(
        'GET',
        `/premium-reasons?${query}`,
        { token },
      )
      return { ...excuse, isWidened: widened !== undefined }
    },
    logOut: (token: string | null) => call('POST', '/auth/logout', { token }),
    readWords: (file: string) => call<PageWords>('GET', file),
  }
}
