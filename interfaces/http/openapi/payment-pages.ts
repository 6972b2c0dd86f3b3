import { SESSION_ID } from '../../../domain/order.ts'
import { describePages, PAGE_LANGUAGE_PARAMETERS } from './pages.ts'

export const PAYMENT = {
  showPayment: {
    description:
      'Asks the provider, where the payment is not known yet, and activates premium for a paid session.',
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
      503: 'The payment provider or the database cannot be reached, or there are too many unknown sessions',
      // For browsers; programs get the error alone.
      429: 'A page that says when to come back',
      500: 'As 503',
    }),
  },
  showCancellation: {
    description:
      'For buyers who turned back. It changes nothing: the open session can still be paid.',
    parameters: PAGE_LANGUAGE_PARAMETERS,
    responses: describePages({
      200: 'Nothing was charged',
      429: 'The same',
      500: 'The same',
      503: 'The same',
    }),
  },
}
