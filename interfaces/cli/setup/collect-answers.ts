import type { Finding } from '../../../application/doctor/finding.ts'
import { currentAnswers, currentValue } from '../../../application/setup/plan-settings.ts'
import { proposeDatabase } from '../../../application/setup/propose-database.ts'
import {
  type Answers,
  CURRENCY,
  DATABASE,
  EMAIL_FROM,
  MAIL_SECRETS,
  type MailProvider,
  mailProviderOf,
  NAME,
  PRICE,
  PUBLIC_URL,
  type Question,
  STRIPE_KEY,
} from '../../../application/setup/questions.ts'
import { canBeWritten } from '../../../application/setup/settings-text.ts'
import { formatAmount, parseAmount } from '../../../domain/money.ts'
import type { Setup, Terminal } from './setup-context.ts'

/** An answer that does not hold where nobody can be asked for another one. What is wrong was printed. */
export class Unusable extends Error {
  override readonly name = 'Unusable'
}

export type Collected = {
  /** The secret of the mail provider that is not used is empty. */
  readonly wanted: ReadonlyMap<string, string>
  readonly mail: MailProvider
}

/**
 * Asks for what the flags leave open, with what is there as the default, and tries each answer out at once. Without a
 * terminal it takes the defaults; then an answer that does not hold throws `Unusable`.
 */
export async function collectAnswers({
  setup,
  given,
  terminal,
  print,
  printFindings,
}: {
  setup: Setup
  /** What the flags say, checked already. */
  given: Answers
  terminal: Terminal | null
  print: (text: string) => void
  printFindings: (findings: readonly Finding[]) => void
}): Promise<Collected> {
  const wanted = new Map<string, string>()
  const defaultOf = ({ setting, fallback }: Question) =>
    wanted.get(setting) || currentValue(setup.current, setting) || fallback

  /** The answer to one question; `again` asks also where a flag or an earlier answer gave one. */
  async function answer(
    question: Question,
    {
      again = false,
      proposed = defaultOf(question),
    }: { again?: boolean; proposed?: string | null } = {},
  ): Promise<string> {
    const { setting } = question
    const flagged = given.get(setting)
    if (flagged !== undefined && !again) {
      wanted.set(setting, flagged)
      return flagged
    }
    for (;;) {
      const typed = terminal ? await terminal.ask(promptFor(question, proposed), question) : ''
      const read =
        typed === ''
          ? checkValue(setup, { setting, value: proposed ?? '', beside: wanted })
          : readAnswer(setup, { question, typed, beside: wanted })
      if ('value' in read) {
        wanted.set(setting, read.value)
        return read.value
      }
      if (!terminal) throw unusable(`${setting}: ${read.problem}`)
      print(`  ${read.problem}`)
    }
  }

  function unusable(reason: string): Unusable {
    print(`alibi: ${reason}`)
    return new Unusable(reason)
  }

  function promptFor(question: Question, fallback: string | null): string {
    const { words, isSecret, setting } = question
    if (fallback === null) return `${words}: `
    if (isSecret) return `${words} [Enter keeps the one that is there]: `
    return `${words} [${setting === PRICE.setting ? priced(fallback) : fallback}]: `
  }

  const priced = (amount: string) =>
    formatAmount({ amount: Number(amount), currency: currencyOf(setup, wanted) }, 'en')

  function show(findings: readonly Finding[]): boolean {
    printFindings(findings)
    return findings.every(({ level }) => level !== 'failed')
  }

  async function askPublicAddress(): Promise<void> {
    await answer(PUBLIC_URL)
    // Before the service runs, no proxy reaches it.
    if (!show(await setup.check('reach', wanted))) {
      print('That may be so while the service does not run: it is looked at again at the end.')
    }
  }

  async function askProduct(): Promise<void> {
    const priceId = currentValue(setup.current, 'STRIPE_PRICE_ID')
    if (priceId !== undefined) {
      print(`What is sold is the price ${priceId} of Stripe (STRIPE_PRICE_ID).`)
      return
    }
    const name = await answer(NAME)
    await answer(CURRENCY)
    print(`Sold is "${name}" for ${priced(await answer(PRICE))}.`)
  }

  async function askStripeKey(): Promise<void> {
    for (let again = false; ; again = true) {
      await answer(STRIPE_KEY, { again })
      const findings = await setup.check('stripe', wanted)
      if (show(findings.filter(({ name }) => name !== 'webhook'))) return
      if (!terminal) throw unusable('nothing was changed')
    }
  }

  async function askDatabase(): Promise<void> {
    const key = wanted.get(STRIPE_KEY.setting) ?? ''
    const before = currentValue(setup.current, STRIPE_KEY.setting)
    const isLive = setup.isLiveKey(key)
    const wasLive = before === undefined ? null : setup.isLiveKey(before)
    const databaseUrl = currentValue(setup.current, DATABASE.setting) ?? null
    const proposal = proposeDatabase({ databaseUrl, isLive, wasLive })
    if (given.has(DATABASE.setting)) await answer(DATABASE)
    else if (proposal !== null) {
      print(
        isLive
          ? 'The key is live: sales need a database without test purchases.'
          : 'The key is a test key: purchases with it get a database of their own.',
      )
      await answer(DATABASE, { proposed: proposal })
    }
  }

  async function askMail(): Promise<MailProvider> {
    for (let again = false; ; again = true) {
      const provider = await askMailProvider(again)
      await answer(MAIL_SECRETS[provider], { again })
      await answer(EMAIL_FROM, { again })
      for (const { setting } of Object.values(MAIL_SECRETS)) {
        if (setting !== MAIL_SECRETS[provider].setting) wanted.set(setting, '')
      }
      if (show(await setup.check('mail', wanted))) return provider
      if (!terminal) throw unusable('nothing was changed')
      const kept = await terminal.ask('Keep that all the same? [y/N] ', { isSecret: false })
      if (/^y(?:es)?$/i.test(kept)) return provider
    }
  }

  async function askMailProvider(again: boolean): Promise<MailProvider> {
    const chosen = mailProviderOf(given)
    if (chosen && !again) return chosen
    const fallback =
      mailProviderOf(given) ?? mailProviderOf(currentAnswers(setup.current)) ?? 'resend'
    for (;;) {
      const prompt = `How mails go, resend or smtp [${fallback}]: `
      const typed = terminal ? await terminal.ask(prompt, { isSecret: false }) : ''
      const provider = (typed || fallback).toLowerCase()
      if (provider === 'resend' || provider === 'smtp') return provider
      print('  it must be resend or smtp')
    }
  }

  await askPublicAddress()
  await askProduct()
  await askStripeKey()
  await askDatabase()
  const mail = await askMail()
  return { wanted, mail }
}

type Read = { readonly value: string } | { readonly problem: string }

/** The value of the setting that an answer stands for, or what is wrong with it. */
export function readAnswer(
  setup: Setup,
  { question, typed, beside }: { question: Question; typed: string; beside: Answers },
): Read {
  const { setting } = question
  if (setting !== PRICE.setting) return checkValue(setup, { setting, value: typed, beside })
  const currency = currencyOf(setup, beside)
  const amount = parseAmount(typed, currency)
  if (amount !== null) return checkValue(setup, { setting, value: String(amount), beside })
  return {
    problem: `it must be an amount in ${currency.toUpperCase()}, such as 5, 5.00 or 5,00, without a separator of thousands`,
  }
}

/** `beside` has the answers that the value has to fit. */
function checkValue(
  setup: Setup,
  { setting, value, beside }: { setting: string; value: string; beside: Answers },
): Read {
  if (value === '') return { problem: 'it cannot be left out' }
  if (!canBeWritten(value)) {
    return { problem: 'it must be on one line, and without quotes of both kinds' }
  }
  const shape = setup.problemWith(
    new Map([
      [CURRENCY.setting, currencyOf(setup, beside)],
      [setting, value],
    ]),
    setting,
  )
  return shape === null ? { value } : { problem: `it must be ${shape}` }
}

/** As the answers have it, else as it is set. */
function currencyOf({ current }: Setup, answers: Answers): string {
  const { setting, fallback } = CURRENCY
  return (answers.get(setting) || currentValue(current, setting) || fallback).toLowerCase()
}
