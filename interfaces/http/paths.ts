/** The rate limits that a client has. */
export type RateLimitPolicy = 'general' | 'auth' | 'premium'

/** The rules for every request to a path, with any method, and for every answer, errors too. */
export type PathRules = {
  /** The rate limit that counts the requests; null for one that does not. */
  readonly policy: RateLimitPolicy | null
  /** How long a body may be. Where there is no POST, none is read. */
  readonly bodyBytesMax: number
  /** The headers that say so (RFC 9745); null for a path that is not deprecated. */
  readonly deprecated: { readonly Deprecation: string; readonly Link: string } | null
}

/** A path that has an answer of its own. */
type Route = PathRules & {
  /** HEAD holds wherever GET does. */
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** What it is for, as the OpenAPI document and `GET /` say it. */
  readonly summary: string
}

/** A folder: the rules for every path below it that has no row of its own. */
type Folder = PathRules & {
  /** Ends in a slash. */
  readonly path: string
}

const BODY_BYTES_MAX = 64 * 1024

/** The payment provider's events are the largest bodies there are. */
const EVENT_BYTES_MAX = 1024 * 1024

/** RFC 9745 wants a moment: the release of version 1.0.0, which has had the better way from the start. */
const USE_VERIFY_EMAIL = {
  Deprecation: `@${Date.UTC(2026, 10, 21) / 1000}`,
  Link: '</auth/verify-email>; rel="successor-version"',
}

/** Every route that the OpenAPI document lists, by its operation id there. */
export const ROUTES = {
  readStatus: {
    method: 'GET',
    path: '/',
    summary: 'Service status',
    policy: 'general',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  checkHealth: {
    method: 'GET',
    path: '/health',
    summary: 'Whether the process answers',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  checkReadiness: {
    method: 'GET',
    path: '/ready',
    summary: 'Whether it should get visitors: the database takes commits, and it is not stopping',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  verifyEmail: {
    method: 'POST',
    path: '/auth/verify-email',
    summary: 'Send a one-time code to verify an email address',
    policy: 'auth',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  confirmEmail: {
    method: 'POST',
    path: '/auth/confirm-email',
    summary: 'Confirm an email address with its code',
    policy: 'auth',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  issueToken: {
    method: 'POST',
    path: '/auth/token',
    summary: 'Log in from the browser that confirmed the email address, without another code',
    policy: 'auth',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  requestOtp: {
    method: 'POST',
    path: '/auth/request-otp',
    summary: 'Send a login code to an address with premium (deprecated)',
    policy: 'auth',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: USE_VERIFY_EMAIL,
  },
  logIn: {
    method: 'POST',
    path: '/auth/login',
    summary: 'Log in with email and code (deprecated)',
    policy: 'auth',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: USE_VERIFY_EMAIL,
  },
  logOut: {
    method: 'POST',
    path: '/auth/logout',
    summary: 'End every token of the address',
    policy: 'auth',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  checkPremium: {
    method: 'GET',
    path: '/auth/check',
    summary: 'Premium status of an email address',
    policy: 'auth',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  startCheckout: {
    method: 'POST',
    path: '/checkout',
    summary: 'Create a payment session for a verified email address',
    policy: 'general',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  pickReason: {
    method: 'GET',
    path: '/premium-reasons',
    summary: 'Random excuse in a language',
    policy: 'premium',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  readStrings: {
    method: 'GET',
    path: '/i18n',
    summary: 'User interface translations',
    policy: 'premium',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  listLanguages: {
    method: 'GET',
    path: '/languages',
    summary: 'Supported languages',
    policy: 'general',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  showPayment: {
    method: 'GET',
    path: '/payment/success',
    summary: 'Payment success page',
    policy: 'general',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  showCancellation: {
    method: 'GET',
    path: '/payment/cancel',
    summary: 'Payment canceled page',
    policy: 'general',
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  receiveStripeNotification: {
    method: 'POST',
    path: '/webhook/stripe',
    summary: 'Payment provider notification',
    policy: null,
    bodyBytesMax: EVENT_BYTES_MAX,
    deprecated: null,
  },
  receivePaymentNotification: {
    method: 'POST',
    path: '/webhook/payment',
    summary: 'The same as /webhook/stripe',
    policy: null,
    bodyBytesMax: EVENT_BYTES_MAX,
    deprecated: null,
  },
  showApp: {
    method: 'GET',
    path: '/app',
    summary: 'The page on which a person does the whole flow',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  readRobots: {
    method: 'GET',
    path: '/robots.txt',
    summary: 'What search engines may read (RFC 9309)',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  readSitemap: {
    method: 'GET',
    path: '/sitemap.xml',
    summary: 'The addresses of /app, one for each language, for search engines',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  showReference: {
    method: 'GET',
    path: '/docs',
    summary: 'This description, as a page',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  readOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description (OpenAPI 3.1)',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
} as const satisfies Readonly<Record<string, Route>>

export type RouteId = keyof typeof ROUTES

/** A folder within another one stands before it. */
export const FOLDERS = {
  auth: { path: '/auth/', policy: 'auth', bodyBytesMax: BODY_BYTES_MAX, deprecated: null },
  webhook: {
    path: '/webhook/',
    policy: 'general',
    bodyBytesMax: EVENT_BYTES_MAX,
    deprecated: null,
  },
  /** The pages of the sandbox provider's sessions, by session id. */
  sandboxPay: {
    path: '/sandbox/pay/',
    policy: null,
    bodyBytesMax: BODY_BYTES_MAX,
    deprecated: null,
  },
  sandbox: { path: '/sandbox/', policy: null, bodyBytesMax: BODY_BYTES_MAX, deprecated: null },
  /** The words of the app page, by language. */
  words: { path: '/assets/words/', policy: null, bodyBytesMax: BODY_BYTES_MAX, deprecated: null },
  /** What pages load. */
  assets: { path: '/assets/', policy: null, bodyBytesMax: BODY_BYTES_MAX, deprecated: null },
} as const satisfies Readonly<Record<string, Folder>>

/** The rules for a browser's question whether a page may send a request: it is none to the path. */
export const PREFLIGHT_RULES: PathRules = {
  policy: null,
  bodyBytesMax: BODY_BYTES_MAX,
  deprecated: null,
}

/** The rules for a path that is neither a route nor in a folder. */
const UNKNOWN: PathRules = { policy: 'general', bodyBytesMax: BODY_BYTES_MAX, deprecated: null }

const ROUTES_BY_PATH = new Map<string, Route>(
  Object.values(ROUTES).map((route) => [route.path, route]),
)
const ALL_FOLDERS: readonly Folder[] = Object.values(FOLDERS)

/** The path as `ROUTES` has it, where that lists it: to look up that text costs less than to look up its like. */
export function findListed(path: string): string | undefined {
  return ROUTES_BY_PATH.get(path)?.path
}

/** The rules for a path: its own row, else that of its folder. Paths are compared as they are, case included. */
export function rulesOf(path: string): PathRules {
  const folder = () => ALL_FOLDERS.find((one) => path.startsWith(one.path))
  return ROUTES_BY_PATH.get(path) ?? folder() ?? UNKNOWN
}

const WEBHOOK_PATHS: ReadonlySet<string> = new Set([
  ROUTES.receiveStripeNotification.path,
  ROUTES.receivePaymentNotification.path,
])

/** Whether the payment provider sends its notifications to the path. */
export function isWebhook(path: string): boolean {
  return WEBHOOK_PATHS.has(path)
}
