import { Elysia } from 'elysia'
import { logFailure } from '../../../application/error-report.ts'
import { checkPayment } from '../../../application/payments/check-payment.ts'
import type { Ports } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { SESSION_ID } from '../../../domain/purchase.ts'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import { describePages, PAGE_LANGUAGE_PARAMETERS } from '../openapi/pages.ts'
import { pageAnswer } from '../pages/page.ts'
import { type PaymentPageState, paymentPage } from '../pages/payment-page.ts'
import { wordsOf } from '../pages/words.ts'
import type { HttpOptions } from '../request/options.ts'
import { requestIdOf } from '../request/request-id.ts'
import { pageContent } from './page-language.ts'

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
    request,
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

const SUCCESS_DETAIL = {
  operationId: 'showPayment',
  summary: ENDPOINTS.payment['GET /payment/success'],
  description:
    'Asks the provider, where the payment is not known yet, and activates premium for a paid session.',
  tags: ['payment'],
  parameters: [
    {
      name: 'session_id',
      in: 'query' as const,
      required: true,
      description: 'Put in by the provider.',
      schema: { type: 'string' as const, pattern: SESSION_ID.source },
      example: 'cs_live_a1b2c3',
    },
    ...PAGE_LANGUAGE_PARAMETERS,
  ],
  responses: describePages({
    200: 'Active, still being processed, not paid, or no longer giving access',
    400: 'No session_id, or a malformed one',
    404: 'No session of ours',
    503: 'The payment provider cannot be reached',
    // For browsers; programs get the error alone.
    429: 'A page that says when to come back',
    500: 'As 503',
  }),
}

const CANCEL_DETAIL = {
  operationId: 'showCancellation',
  summary: ENDPOINTS.payment['GET /payment/cancel'],
  tags: ['payment'],
  parameters: PAGE_LANGUAGE_PARAMETERS,
  responses: describePages({ 200: 'Nothing was charged', 429: 'The same', 500: 'The same' }),
}
