import type { Content } from '../../../application/ports.ts'
import type { Language } from '../../../domain/language.ts'
import { notFoundPage } from '../pages/not-found-page.ts'
import { lastingPage, type PageAnswer, pageAnswer } from '../pages/page.ts'
import { type PaymentPageState, paymentPage } from '../pages/payment-page.ts'
import { translator } from '../pages/translator.ts'
import { formatWait, isolate } from '../pages/wait-words.ts'
import { ROUTES } from '../paths.ts'
import { prefersPage } from '../request/accept.ts'
import type { Exchange } from '../request/exchange.ts'
import { firstEntries } from '../request/header-list.ts'
import { varyOn } from '../response/content-encoding.ts'
import { pageContent } from './page-language.ts'

/** The paths to which buyers come back from the provider, and the page that they read when the request fails. */
const STATES: Readonly<Record<string, PaymentPageState>> = {
  [ROUTES.showPayment.path]: 'unavailable',
  [ROUTES.showCancellation.path]: 'cancel',
}

const ERRORS: readonly number[] = [429, 500, 503]

/**
 * What a browser gets in place of the answer to a program, and else that answer: the way to the app, a page for a path
 * that is not there, and one for a payment that cannot be shown. The caller adds the headers that all answers have.
 */
export function browserAnswers({
  content,
}: {
  content: Content
}): (exchange: Exchange, answer: Response) => Response {
  const pages = new Map<Language, PageAnswer>()
  function notFound({ request: { headers }, target: { search } }: Exchange): Response {
    const query = new URLSearchParams(search)
    const { language, strings } = pageContent(content, { headers, query })
    const make = () => lastingPage(notFoundPage(language, translator(strings)))
    return pages.getOrInsertComputed(language, make)({ headers })
  }

  return (exchange, answer) => {
    const { request, target } = exchange
    const isStatus = answer.status === 200 && target.path === ROUTES.readStatus.path
    const isNotFound = answer.status === 404 && !isPage(answer)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || !(isStatus || isNotFound)) {
      return paymentErrorPage({ content }, exchange, answer) ?? answer
    }
    const isBrowser = prefersPage(request.headers.get('accept'))
    const chosen = !isBrowser ? answer : isStatus ? seeOther() : notFound(exchange)
    varyOn(chosen.headers, 'Accept')
    return chosen
  }
}

function seeOther(): Response {
  return new Response(null, { status: 303, headers: { Location: ROUTES.showApp.path } })
}

/**
 * The page for an error answer that a browser shows to a buyer. The caller adds the headers. Null for any other answer,
 * and for programs, but where the page of a payment is unavailable.
 */
function paymentErrorPage(
  { content }: { content: Content },
  { request: { headers }, target: { path, search } }: Pick<Exchange, 'request' | 'target'>,
  answer: Response,
): Response | null {
  const state = STATES[path]
  if (!state || !ERRORS.includes(answer.status)) return null
  const isAsked = firstEntries(headers.get('accept')).some((entry) => entry.includes('text/html'))
  // As where the provider is out of reach, which the page says to whoever asks.
  const isShown = isAsked || (state === 'unavailable' && answer.status === 503)
  if (!isShown || isPage(answer)) return null

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

function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false
}
