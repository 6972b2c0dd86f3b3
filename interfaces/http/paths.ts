/** The rate limits that a client has. */
export type RateLimitPolicy = 'general' | 'auth' | 'premium'

/** What no other request of its client uses up. */
export type OwnBudget = 'logOut' | 'proof'

/** The rules for every request to a path, with any method, and for every answer, errors too. */
export type PathRules = {
  /** The rate limit that counts the requests; null for one that does not. */
  readonly policy: RateLimitPolicy | null
  /**
   * Whom it counts them for: always the client, or an address where the request shows one. That is the address whose
   * token lets it in, a holder's that the body names, or one that it proves to be its browser's.
   */
  readonly countedFor: 'client' | 'sender' | 'holder' | 'prover'
  /** What counts those of whom it is meant for; null where that is the budget of the limit. */
  readonly ownBudget: OwnBudget | null
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

/** The payment provider's events are the largest bodies there are. */
const EVENT_BYTES_MAX = 1024 * 1024

/** The rules for a path that is neither a route nor in a folder, and for any other but where its row differs. */
const USUAL: PathRules = {
  policy: 'general',
  countedFor: 'client',
  ownBudget: null,
  bodyBytesMax: 64 * 1024,
  deprecated: null,
}

const UNLIMITED: Partial<PathRules> = { policy: null }
const AUTH: Partial<PathRules> = { policy: 'auth' }
/** The paths that ask for codes or take them: of nothing else can a stolen token use up what its owner needs. */
const CODES: Partial<PathRules> = { policy: 'auth', countedFor: 'holder' }
const PREMIUM: Partial<PathRules> = { policy: 'premium', countedFor: 'sender' }
const EVENTS: Partial<PathRules> = { policy: null, bodyBytesMax: EVENT_BYTES_MAX }
/** RFC 9745 wants a moment: the release of version 1.0.0, which has had the better way from the start. */
const LEGACY_CODES: Partial<PathRules> = {
  ...CODES,
  deprecated: {
    Deprecation: `@${Date.UTC(2026, 10, 21) / 1000}`,
    Link: '</auth/verify-email>; rel="successor-version"',
  },
}

/** Every route that the OpenAPI document lists, by its operation id there. */
export const ROUTES = {
  readStatus: route('GET', '/', 'Service status'),
  checkHealth: route('GET', '/health', 'Whether the process answers', UNLIMITED),
  checkReadiness: route(
    'GET',
    '/ready',
    'Whether it should get visitors: the database takes commits, and it is not stopping',
    UNLIMITED,
  ),
  verifyEmail: route(
    'POST',
    '/auth/verify-email',
    'Send a one-time code to verify an email address',
    CODES,
  ),
  confirmEmail: route(
    'POST',
    '/auth/confirm-email',
    'Confirm an email address with its code',
    CODES,
  ),
  issueToken: route(
    'POST',
    '/auth/token',
    'Log in from the browser that confirmed the email address, without another code',
    { ...AUTH, countedFor: 'prover', ownBudget: 'proof' },
  ),
  requestOtp: route(
    'POST',
    '/auth/request-otp',
    'Send a login code to an address with premium (deprecated)',
    LEGACY_CODES,
  ),
  logIn: route('POST', '/auth/login', 'Log in with email and code (deprecated)', LEGACY_CODES),
  logOut: route('POST', '/auth/logout', 'End every token of the address', {
    ...AUTH,
    ownBudget: 'logOut',
  }),
  checkPremium: route('GET', '/auth/check', 'Premium status of an email address', AUTH),
  startCheckout: route(
    'POST',
    '/checkout',
    'Create a payment session for a verified email address',
  ),
  pickReason: route('GET', '/premium-reasons', 'Random excuse in a language', PREMIUM),
  readStrings: route('GET', '/i18n', 'User interface translations', PREMIUM),
  listLanguages: route('GET', '/languages', 'Supported languages'),
  showPayment: route('GET', '/payment/success', 'Payment success page'),
  showCancellation: route('GET', '/payment/cancel', 'Payment canceled page'),
  receiveStripeNotification: route(
    'POST',
    '/webhook/stripe',
    'Payment provider notification',
    EVENTS,
  ),
  receivePaymentNotification: route(
    'POST',
    '/webhook/payment',
    'The same as /webhook/stripe',
    EVENTS,
  ),
  showApp: route('GET', '/app', 'The page on which a person does the whole flow', UNLIMITED),
  readRobots: route('GET', '/robots.txt', 'What search engines may read (RFC 9309)', UNLIMITED),
  readSitemap: route(
    'GET',
    '/sitemap.xml',
    'The addresses of /app, one for each language, for search engines',
    UNLIMITED,
  ),
  showReference: route('GET', '/docs', 'This description, as a page', UNLIMITED),
  readOpenApi: route('GET', '/openapi.json', 'This description (OpenAPI 3.1)', UNLIMITED),
} satisfies Readonly<Record<string, Route>>

export type RouteId = keyof typeof ROUTES

function route<Method extends Route['method'], const Path extends string>(
  method: Method,
  path: Path,
  summary: string,
  rules: Partial<PathRules> = {},
) {
  return { method, path, summary, ...USUAL, ...rules }
}

/** A folder within another one stands before it. */
export const FOLDERS = {
  auth: { path: '/auth/', ...USUAL, ...AUTH },
  webhook: { path: '/webhook/', ...USUAL, bodyBytesMax: EVENT_BYTES_MAX },
  /** The pages of the sandbox provider's sessions, by session id. */
  sandboxPay: { path: '/sandbox/pay/', ...USUAL, ...UNLIMITED },
  sandbox: { path: '/sandbox/', ...USUAL, ...UNLIMITED },
  /** The words of the app page, by language. */
  words: { path: '/assets/words/', ...USUAL, ...UNLIMITED },
  /** What pages load. */
  assets: { path: '/assets/', ...USUAL, ...UNLIMITED },
} as const satisfies Readonly<Record<string, Folder>>

/** The rules for a browser's question whether a page may send a request: it is none to the path. */
export const PREFLIGHT_RULES: PathRules = { ...USUAL, policy: null }

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
  return ROUTES_BY_PATH.get(path) ?? folder() ?? USUAL
}

const WEBHOOK_PATHS: ReadonlySet<string> = new Set([
  ROUTES.receiveStripeNotification.path,
  ROUTES.receivePaymentNotification.path,
])

/** Whether the payment provider sends its notifications to the path. */
export function isWebhook(path: string): boolean {
  return WEBHOOK_PATHS.has(path)
}
