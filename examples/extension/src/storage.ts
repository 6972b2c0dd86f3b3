/** What an excuse is asked for by. Empty is any. */
export type Choice = {
  readonly occasion: string
  readonly to: string
  readonly tone: string
  readonly isShort: boolean
}

export type Excuse = {
  readonly text: string
  readonly language: string
  /** Whether something of the choice had to be let go. */
  readonly isWidened: boolean
}

/** A token, and whose it is. */
export type Ticket = { readonly email: string; readonly token: string }

/** An address on its way from its code to a token. */
export type Proof = {
  readonly email: string
  /** The secret whose challenge goes with the code (RFC 7636). */
  readonly codeVerifier: string
  readonly step: 'code' | 'buy'
  /** The code itself, which the service tells in development. */
  readonly devCode?: string
  /** When the payment page was opened last, in milliseconds since 1970. */
  readonly payingSince?: number
  /** Since then: how often it was asked whether the money has come, and when last. */
  readonly asks?: number
  readonly askedAt?: number
  /** Whether the page that says thank you has been seen. */
  readonly isThanked?: boolean
}

/** Why something did not work, as the person is told. */
export type Notice = {
  readonly word: string
  /** When to come back, in milliseconds since 1970. */
  readonly retryAt?: number
}

/** What the browser keeps until the person signs out, or for good (`language`). */
export type Kept = {
  readonly language: string
  readonly choice: Choice
  readonly ticket: Ticket | null
  /** One that has expired: it shows the service that its owner has been in before. */
  readonly expired: Ticket | null
  readonly excuse: Excuse | null
}

/** What the browser keeps in memory until it is closed. */
export type Fleeting = {
  readonly proof: Proof | null
  /** For the popup, when it opens next. */
  readonly notice: Notice | null
}

export type State = Kept & Fleeting

export const ANY_CHOICE: Choice = { occasion: '', to: '', tone: '', isShort: false }

const NOTHING_KEPT: Kept = {
  language: '',
  choice: ANY_CHOICE,
  ticket: null,
  expired: null,
  excuse: null,
}
const NOTHING_FLEETING: Fleeting = { proof: null, notice: null }

export async function readState(): Promise<State> {
  const [kept, fleeting] = await Promise.all([
    chrome.storage.local.get<Kept>(NOTHING_KEPT),
    chrome.storage.session.get<Fleeting>(NOTHING_FLEETING),
  ])
  return { ...kept, ...fleeting }
}

export const keep = (part: Partial<Kept>) => chrome.storage.local.set(part)

export const remember = (part: Partial<Fleeting>) => chrome.storage.session.set(part)

/** All but the language. */
export async function forgetEverything(): Promise<void> {
  const { language } = await readState()
  await keep({ ...NOTHING_KEPT, language })
  await remember(NOTHING_FLEETING)
}
