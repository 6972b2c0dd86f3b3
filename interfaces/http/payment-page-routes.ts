import { Elysia } from 'elysia'
import { checkPayment } from '../../application/check-payment.ts'
import { logFailure } from '../../application/fault-report.ts'
import type { Ports } from '../../application/ports.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { SESSION_ID } from '../../domain/purchase.ts'
import { ENDPOINTS } from './endpoints.ts'
import type { HttpOptions } from './options.ts'
import { pageContent } from './page-language.ts'
import { pageAnswer } from './pages/page.ts'
import { type PaymentPageState, paymentPage } from './pages/payment-page.ts'
import { wordsOf } from './pages/words.ts'
import { requestIdOf } from './request-id.ts'

const RETRY_AFTER_SECONDS = 60

/** Where the provider sends the buyer back to. */
export function paymentPageRoutes({ ports }: HttpOptions): Elysia {
  const routes = new Elysia()
  routes.get(
    '/payment/success',
    async ({ request }) => answer(ports, request, await paymentState(ports, request)),
    { detail: SUCCESS_DETAIL },
  )
  routes.get('/payment/cancel', ({ request }) => answer(ports, request, 'cancel'), {
    detail: CANCEL_DETAIL,
  })
  return routes
}

function answer({ content }: Ports, request: Request, state: PaymentPageState): Response {
  const { language, strings } = pageContent(content, request)
  const page = paymentPage(state, language, wordsOf(strings))
  return pageAnswer(
    page,
    state === 'unavailable' ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {},
  )
}

async function paymentState(ports: Ports, request: Request): Promise<PaymentPageState> {
  const [sessionId, ...others] = new URL(request.url).searchParams.getAll('session_id')
  if (sessionId === undefined || others.length > 0 || !SESSION_ID.test(sessionId)) return 'invalid'

  try {
    return await checkPayment(ports, sessionId)
  } catch (error) {
    // People read this answer, so it is a page like the others.
    if (!(error instanceof Unavailable)) throw error
    logFailure(ports, error, { request: requestIdOf(request) })
    return 'unavailable'
  }
}

const PAGE_RESPONSE = {
  content: { 'text/html': { schema: { type: 'string' as const } } },
}

const SUCCESS_DETAIL = {
  tags: ['payment'],
  summary: ENDPOINTS.payment['GET /payment/success'],
  parameters: [
    {
      name: 'session_id',
      in: 'query' as const,
      required: true,
      schema: { type: 'string' as const, pattern: SESSION_ID.source },
    },
  ],
  responses: {
    200: { description: 'Active, still being processed, or not paid', ...PAGE_RESPONSE },
    400: { description: 'No session_id, or a malformed one', ...PAGE_RESPONSE },
    404: { description: 'No session of ours', ...PAGE_RESPONSE },
    503: { description: 'The payment provider cannot be reached', ...PAGE_RESPONSE },
  },
}

const CANCEL_DETAIL = {
  tags: ['payment'],
  summary: ENDPOINTS.payment['GET /payment/cancel'],
  responses: { 200: { description: 'Nothing was charged', ...PAGE_RESPONSE } },
}
