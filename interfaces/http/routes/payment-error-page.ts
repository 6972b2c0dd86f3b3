import type { Content } from '../../../application/ports.ts'
import { pageAnswer } from '../pages/page.ts'
import { type PaymentPageState, paymentPage } from '../pages/payment-page.ts'
import { translator } from '../pages/translator.ts'
import { formatWait, isolate } from '../pages/wait-words.ts'
import { ROUTES } from '../paths.ts'
import type { Exchange } from '../request/exchange.ts'
import { firstEntries } from '../request/header-list.ts'
import { pageContent } from './page-language.ts'

/** The paths to which buyers come back from the provider, and the page that they read when the request fails. */
const STATES: Readonly<Record<string, PaymentPageState>> = {
  [ROUTES.showPayment.path]: 'unavailable',
  [ROUTES.showCancellation.path]: 'cancel',
}

const ERRORS: readonly number[] = [429, 500, 503]

/**
 * The page for an error answer that a browser shows to a buyer. The caller adds the headers. Null for any other answer,
 * and for programs, but where the page of a payment is unavailable.
 */
export function paymentErrorPage(
  { content }: { content: Content },
  { request: { headers }, target: { path, search } }: Pick<Exchange, 'request' | 'target'>,
  answer: Response,
): Response | null {
  const state = STATES[path]
  if (!state || !ERRORS.includes(answer.status)) return null
  const isAsked = firstEntries(headers.get('accept')).some((entry) => entry.includes('text/html'))
  // As where the provider is out of reach, which the page says to whoever asks.
  const isShown = isAsked || (state === 'unavailable' && answer.status === 503)
  const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false
  if (!isShown || isPage) return null

  const { language, strings } = pageContent(content, {
    headers,
    query: new URLSearchParams(search),
  })
  const words = translator(strings)
  const wait = () => isolate(formatWait(Number(answer.headers.get('retry-after')), language))
  const tooMany = () => words('error_too_many_requests').replace('{duration}', wait())
  const page = paymentPage(state, language, words, {
    status: answer.status,
    ...(answer.status === 429 && state !== 'cancel' ? { text: tooMany() } : {}),
  })
  const shown = pageAnswer({ headers }, page)
  const retryAfter = answer.headers.get('retry-after')
  if (retryAfter !== null) shown.headers.set('Retry-After', retryAfter)
  return shown
}
