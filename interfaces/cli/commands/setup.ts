import { type Finding, isHealthy } from '../../../application/doctor/finding.ts'
import { runChecks } from '../../../application/doctor/run-checks.ts'
import { shellWord } from '../../../application/format.ts'
import { currentAnswers, currentValue } from '../../../application/setup/plan-settings.ts'
import {
  type Answers,
  CURRENCY,
  missingFlags,
  PRICE,
  PRODUCT,
  PUBLIC_URL,
  QUESTIONS,
  STRIPE_KEY,
  WEBHOOK_SECRET,
} from '../../../application/setup/questions.ts'
import type { Command, UsageError } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-codes.ts'
import { carryOut, type Intention, planSetup } from '../setup/carry-out.ts'
import { collectAnswers, readAnswer, Unusable } from '../setup/collect-answers.ts'
import { Interrupted, type Setup, type Terminal } from '../setup/setup-context.ts'
import { untilSignal } from '../stop-signal.ts'
import { bashCompletion } from './completion.ts'
import { findingLines, formatFindings } from './doctor.ts'
import { parseSetup, SETUP_OPTIONS, type SetupAsked } from './setup-options.ts'

export const setupCommand: Command<SetupAsked> = {
  name: 'setup',
  summary: 'ask for what a sale needs, check it, write it and start the service',
  writesSettings: true,
  operands: [],
  options: SETUP_OPTIONS,
  details: `Asks for the public address, for what is sold and its price, for the key of Stripe and for how mails
go, and tries each answer out at once. Makes the webhook endpoint of the address at Stripe, or mends
the one that is there, and keeps its signing secret; makes JWT_SECRET once. Writes the settings of
the installed service, which it installs and starts where there is systemd, or --env-file FILE
alone, with the secrets in it or in --credentials FOLDER. Ends with the findings of the doctor. What
is there already is the default: run again with the same answers it changes nothing. Other lines of
the settings file stay. Options answer questions; secrets are given in files alone, and never
printed. With --yes nothing is asked: what has a default gets it, and a missing answer is named
(exit code 2). An endpoint whose signing secret is not known here is replaced by a new one; with
--yes one that another machine has made is kept. Asks first at a terminal. What is not done is
printed as a step to take, and the exit code is 1. Settings of the environment play no part.`,
  parse: parseSetup,
  run: runSetup,
}

async function runSetup(context: CommandContext, asked: SetupAsked): Promise<number> {
  const { printError } = context
  const completion = `${bashCompletion(context.commands)}\n`
  const place = { envFile: context.envFile, credentials: asked.credentials }
  const setup = await context.openSetup(place, { completion })
  const given = readGiven(setup, asked.flags)
  if ('usageError' in given) return refuse(given.usageError)
  const missing = missingFlags(given.answers, currentAnswers(setup.current))
  if (asked.yes && missing.length > 0) return refuse(`setup --yes needs ${missing.join(', ')}`)
  const terminal = asked.yes ? null : await context.openTerminal()
  if (!asked.yes && !terminal) {
    const lacks = missing.length > 0 ? `, and ${missing.join(', ')}` : ''
    return refuse(`setup asks at a terminal: elsewhere it needs --yes${lacks}`)
  }
  const stop = untilSignal('SIGINT', 'SIGTERM', 'SIGHUP')
  try {
    const { answers } = given
    return await setUp({ ...context, setup, given: answers, terminal, start: asked.start, stop })
  } finally {
    terminal?.close()
  }

  function refuse(reason: string): number {
    printError(`alibi: ${reason}`)
    return EXIT.wrongUsage
  }
}

/** What the flags say, with the secrets read from their files. No message repeats a value. */
function readGiven(setup: Setup, flags: Answers): { answers: Answers } | UsageError {
  const answers = new Map<string, string>()
  const priceId = currentValue(setup.current, 'STRIPE_PRICE_ID')
  const currencyFirst = [CURRENCY, ...QUESTIONS.filter((one) => one !== CURRENCY)]
  for (const question of currencyFirst) {
    const { setting, flag, isSecret } = question
    const said = flags.get(setting)
    if (said === undefined) continue
    if (priceId !== undefined && PRODUCT.some((one) => one.setting === setting)) {
      return { usageError: `--${flag}: STRIPE_PRICE_ID is set, and says what is sold` }
    }
    // A price is in the currency that is there, unless it comes with another one.
    if (question === PRICE && !answers.has(CURRENCY.setting)) {
      const currency = currentValue(setup.current, CURRENCY.setting) ?? CURRENCY.fallback
      answers.set(CURRENCY.setting, currency)
    }
    let typed = said.trim()
    if (isSecret) {
      try {
        typed = setup.readSecretFile(said)
      } catch {
        return { usageError: `--${flag} needs a file that can be read` }
      }
    }
    const read = readAnswer(setup, { question, typed, beside: answers })
    if ('problem' in read) return { usageError: `--${flag}: ${read.problem}` }
    answers.set(setting, read.value)
  }
  return { answers }
}

type Run = Pick<CommandContext, 'print' | 'printError' | 'progress' | 'wait'> & {
  readonly setup: Setup
  readonly given: Answers
  /** Null where nothing is asked. */
  readonly terminal: Terminal | null
  readonly start: boolean
  readonly stop: ReturnType<typeof untilSignal>
}

/** Asks, shows what it is going to do, does it, and looks at what has come of it. */
async function setUp(run: Run): Promise<number> {
  const { setup, print, printError, terminal, stop } = run
  let intention: Intention | number
  try {
    const stopped = stop.requested.then(() => Promise.reject(new Interrupted('stopped')))
    const ways = terminal ? [stopped, terminal.interrupted] : [stopped]
    intention = await Promise.race([prepare(run), ...ways])
  } catch (error) {
    if (error instanceof Unusable) return EXIT.failed
    if (!(error instanceof Interrupted)) throw error
    printError('\nalibi: nothing was changed')
    return EXIT.interrupted
  }
  if (typeof intention === 'number') return intention
  terminal?.close()

  if (setup.service && !setup.service.isInstalled()) {
    await setup.service.install()
    print('Installed the service.')
  }
  const { lines, steps } = await carryOut(setup, intention)
  if (intention.isUnchanged) print(`Nothing to change: ${setup.envFile} is as it was.`)
  else print(`Wrote ${setup.envFile}.`)
  for (const line of lines) print(line)
  if (stop.stopping.aborted) return EXIT.interrupted
  return finish(run, intention, steps)
}

/** What is going to be done; an exit code where nothing is. Changes nothing. */
async function prepare({ setup, given, terminal, print, printError }: Run) {
  function printFindings(findings: readonly Finding[]): void {
    for (const line of findingLines(findings)) print(line)
  }

  const collected = await collectAnswers({ setup, given, terminal, print, printFindings })
  const givenSecret = given.get(WEBHOOK_SECRET.setting) ?? null
  const asked = { givenSecret, isConfirmed: terminal !== null }
  const intention = await planSetup(setup, collected, asked)
  if (typeof intention === 'string') {
    printError(`alibi: ${intention}: nothing was changed`)
    return EXIT.failed
  }
  const problems = setup.problemsOf(intention.wanted)
  if (problems.length > 0) {
    for (const problem of problems) printError(`alibi: ${problem}`)
    printError('alibi: nothing was changed')
    return EXIT.wrongSettings
  }
  for (const line of describe(setup, intention)) print(line)
  if (!terminal || intention.isUnchanged) return intention
  const removes = (intention.endpoint?.removed.length ?? 0) > 0
  const typed = await terminal.ask(`Do that? ${removes ? '[y/N]' : '[Y/n]'} `, { isSecret: false })
  if (/^y(?:es)?$/i.test(typed) || (typed === '' && !removes)) return intention
  printError('alibi: nothing was changed')
  return EXIT.failed
}

const REASONS = {
  none_there: 'there is none',
  secret_unknown: 'the signing secret of the one that is there is not known here',
  other_version: 'the one that is there speaks another API version',
} as const

function describe(setup: Setup, { changed, endpoint, webhook }: Intention): readonly string[] {
  const [url = ''] = webhook.urls
  return [
    ...(changed.length > 0 ? [`In ${setup.envFile}: sets ${changed.join(', ')}.`] : []),
    ...(endpoint?.reason
      ? [`At Stripe: makes a webhook endpoint for ${url} (${REASONS[endpoint.reason]}).`]
      : []),
    ...(endpoint?.kept && endpoint.kept.flaws.length > 0
      ? [`At Stripe: mends the webhook endpoint (${endpoint.kept.flaws.join(', ')}).`]
      : []),
    ...(endpoint ?? { removed: [] }).removed.map((id) => `At Stripe: deletes the endpoint ${id}.`),
  ]
}

/** What only a service that runs can pass. */
const OF_A_RUNNING_SERVICE = ['service', 'public url', 'proxy']

async function finish(
  { setup, print, progress, wait, start }: Run,
  { wanted, isUnchanged }: Intention,
  steps: readonly string[],
): Promise<number> {
  const isStarted = start && steps.length === 0 && setup.service?.start != null
  if (isStarted) {
    const done = await setup.service?.start?.({ isChanged: !isUnchanged })
    if (done === 'running') print('The service runs, and was left alone.')
    else print(`The service was ${done === 'started' ? 'started' : 'started anew'}, and serves.`)
  }
  print('')
  const checks = await setup.openChecks()
  const findings = await runChecks(checks, { offline: false, wait, progress })
  print(formatFindings(findings))
  if (!setup.isLiveKey(wanted.get(STRIPE_KEY.setting) ?? '')) {
    print(
      '\nThe key is a test key: no money moves. For sales, run this again with the live key: it makes an endpoint of its own, and proposes a database without test purchases.',
    )
  }
  for (const step of steps) print(`\nTo do: ${step}`)
  if (setup.service === null) {
    print(`\nStart it: alibi serve --env-file ${shellWord(setup.envFile)}`)
  } else if (!isStarted && steps.length === 0) print('\nStart it: sudo systemctl restart alibi')
  if (steps.length > 0) return EXIT.failed
  print(`\nOpen ${wanted.get(PUBLIC_URL.setting)?.replace(/\/$/, '')}/app`)
  const counted = isStarted
    ? findings
    : findings.filter(({ name }) => !OF_A_RUNNING_SERVICE.includes(name))
  return isHealthy(counted) ? EXIT.done : EXIT.failed
}
