/** What each endpoint is for, in the groups in which the status answer shows them. */
export const ENDPOINTS = {
  auth: {
    'POST /auth/verify-email': 'Send a one-time code to verify an email address',
    'POST /auth/confirm-email': 'Confirm an email address with its code',
    'POST /auth/token':
      'Log in from the browser that confirmed the email address, without another code',
    'POST /auth/request-otp': 'Send a login code to an address with premium (deprecated)',
    'POST /auth/login': 'Log in with email and code (deprecated)',
    'POST /auth/logout': 'End every token of the address',
    'GET /auth/check': 'Premium status of an email address',
  },
  checkout: {
    'POST /checkout': 'Create a payment session for a verified email address',
  },
  premium: {
    'GET /premium-reasons': 'Random excuse in a language',
    'GET /i18n': 'User interface translations',
    'GET /languages': 'Supported languages',
  },
  payment: {
    'GET /payment/success': 'Payment success page',
    'GET /payment/cancel': 'Payment canceled page',
  },
  webhook: {
    'POST /webhook/stripe': 'Payment provider notification',
  },
} as const
