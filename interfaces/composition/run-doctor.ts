import { resolve } from 'node:path'
import { type Finding, findingsOn } from '../../application/doctor/finding.ts'
import type { Check } from '../../application/doctor/run-checks.ts'
import type { Email } from '../../domain/email.ts'
import type { Environment } from '../../infrastructure/config/config.ts'
import { RESEND_URL } from '../../infrastructure/config/email-settings.ts'
import {
  loadPartialConfig,
  type PartialConfig,
} from '../../infrastructure/config/partial-config.ts'
import { STRIPE_ORIGIN } from '../../infrastructure/config/payment-settings.ts'
import { checkBackups } from '../../infrastructure/doctor/backups.ts'
import { checkClock } from '../../infrastructure/doctor/clock.ts'
import { checkMail } from '../../infrastructure/doctor/mail.ts'
import { checkPostgres, isRemote, POSTGRES_SUBJECTS } from '../../infrastructure/doctor/postgres.ts'
import { checkReach, REACH_SUBJECTS } from '../../infrastructure/doctor/reach.ts'
import { checkSettings } from '../../infrastructure/doctor/settings.ts'
import { checkSqlite, SQLITE_SUBJECTS } from '../../infrastructure/doctor/sqlite.ts'
import { checkPayments, STRIPE_SUBJECTS } from '../../infrastructure/doctor/stripe.ts'
import { CALLERS_RIGHTS } from '../../infrastructure/rights/effective-user.ts'
import { takeOwnersRights } from '../../infrastructure/rights/state-folder.ts'
import { SYSTEM_TIMERS, systemClock } from '../../infrastructure/system-clock.ts'
import { formatPrice } from '../cli/payment-words.ts'
import { composeContent } from './compose-content.ts'
import { webhookUrls } from './compose-providers.ts'
import { publicUrlOf } from './open-store.ts'

/** For each question to another machine. */
const TIMEOUT_MS = 8_000

// Why: docs/decisions.md#the-doctor-asks-and-judges-in-one-place
/** The checks of everything that the service depends on. They change none of it. */
export function openChecks(
  environment: Environment,
  {
    mailTo,
    offline,
    envFile,
    version,
  }: { mailTo: Email | null; offline: boolean; envFile: string | null; version: string },
): readonly Check[] {
  const settings = checkSettings(environment, { envFile, readContent: composeContent })
  const parts = loadPartialConfig(environment)
  const { stripe, mail, reach } = providerChecks(parts, { mailTo, version })
  return [
    check(settings, { names: ['settings'], run: async () => settings }),
    ...databaseChecks(parts),
    // Without the network, only the system is asked about its clock.
    check(parts, {
      names: ['clock'],
      needsNetwork: !offline,
      run: () => checkClock(offline ? null : findTimeUrl(parts), around()),
    }),
    stripe,
    mail,
    reach,
  ]
}

/** The checks of the providers and of the way that users come, on settings that need not be stored yet. */
export function openProviderChecks(environment: Environment, { version }: { version: string }) {
  return providerChecks(loadPartialConfig(environment), { version, mailTo: null })
}

const around = () => ({ clock: systemClock(), timeoutMs: TIMEOUT_MS })

function databaseChecks({ database, backup }: PartialConfig): readonly Check[] {
  const { clock } = around()
  if (database?.kind === 'postgres') {
    return [
      check(database, {
        names: POSTGRES_SUBJECTS,
        needsNetwork: isRemote(database),
        run: () => checkPostgres(database, { ...SYSTEM_TIMERS, clock }),
      }),
    ]
  }
  // From here on root acts as the owner of the folder.
  const rights = database ? takeOwnersRights(database.path) : CALLERS_RIGHTS
  const databasePath = database && resolve(database.path)
  return [
    check(database, { names: SQLITE_SUBJECTS, run: ({ path }) => checkSqlite(path, clock) }),
    check(backup, {
      names: ['backups'],
      run: async ({ backup }) => checkBackups(backup, { clock, databasePath, rights }),
    }),
  ]
}

function providerChecks(
  { payment, email, network }: PartialConfig,
  { mailTo, version }: { mailTo: Email | null; version: string },
) {
  const publicUrl = network?.publicUrl ?? null
  // As `serve` fills it in: only in development none has to be set.
  const servedUrl = network && publicUrlOf(network, `http://localhost:${network.port}`)
  return {
    stripe: check(payment, {
      names: STRIPE_SUBJECTS,
      needsNetwork: payment?.provider === 'stripe',
      run: (payment) =>
        checkPayments(payment, {
          ...around(),
          webhookUrls: servedUrl === null ? [] : webhookUrls(servedUrl),
          formatPrice,
        }),
    }),
    mail: check(email, {
      names: ['mail'],
      needsNetwork: email?.email.provider !== 'console',
      run: ({ email, emailFrom: from }) =>
        checkMail(email, { ...around(), from, publicUrl, mailTo }),
    }),
    reach: check(network, {
      names: REACH_SUBJECTS,
      needsNetwork: true,
      run: (network) => checkReach(network, { ...around(), version }),
    }),
  }
}

/** Where the time is asked for; null where no provider is known. */
function findTimeUrl({ payment, email }: PartialConfig): string | null {
  if (payment?.provider === 'stripe') return payment.apiUrl ?? STRIPE_ORIGIN
  return email?.email.provider === 'resend' ? (email.email.baseUrl ?? RESEND_URL) : null
}

/** A check that cannot run while its own part of the settings is wrong, for which null stands. */
function check<Part>(
  part: Part | null,
  {
    names,
    needsNetwork = false,
    run,
  }: {
    names: Check['names']
    needsNetwork?: boolean
    run: (part: Part) => Promise<readonly Finding[]>
  },
): Check {
  if (part !== null) return { names, needsNetwork, run: () => run(part) }
  const skipped = (name: string) => findingsOn(name).skipped('its settings have to be right first')
  return { names, needsNetwork: false, run: async () => names.map(skipped) }
}
