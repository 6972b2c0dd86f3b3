import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import Stripe from 'stripe'
import { WRITTEN_SECRETS } from '../../application/setup/plan-settings.ts'
import { WEBHOOK_SECRET } from '../../application/setup/questions.ts'
import { ConfigError, loadConfig } from '../../infrastructure/config/config.ts'
import { loadPartialConfig } from '../../infrastructure/config/partial-config.ts'
import { isLiveKey } from '../../infrastructure/config/payment-settings.ts'
import {
  absolutePath,
  candidateEnvironment,
  readSecretFile,
  readSettings,
  writeSettings,
} from '../../infrastructure/setup/settings-files.ts'
import { ENDPOINT_EVENT_TYPES } from '../../infrastructure/stripe/events.ts'
import { markOf, stripeWebhookEndpoints } from '../../infrastructure/stripe/webhook-endpoints.ts'
import { PLACES, SETTINGS_TEMPLATE } from '../../infrastructure/systemd/installed-files.ts'
import { startService } from '../../infrastructure/systemd/start-service.ts'
import { findSystemctl } from '../../infrastructure/systemd/systemctl.ts'
import type { Setup, SetupPlace, SetupService, Wanted } from '../cli/setup/setup-context.ts'
import { webhookUrls } from './compose-providers.ts'
import { openChecks, openProviderChecks } from './run-doctor.ts'
import { openInstallation } from './run-service.ts'

const TIMEOUT_MS = 10_000
const JWT_SECRET_BYTES = 32
/** Stands in for secrets that are not there yet where settings are tried out. */
const STAND_INS = new Map([
  [WEBHOOK_SECRET.setting, 'whsec_standin'],
  ['JWT_SECRET', 'x'.repeat(JWT_SECRET_BYTES)],
])

/** Reads what is there. Throws where that cannot be done, or where the caller may not change it. */
export function openSetup(
  { envFile: named, credentials }: SetupPlace,
  { version, completion }: { version: string; completion: string },
): Setup {
  const envFile = absolutePath(named ?? PLACES.settings)
  const isOfService = envFile === PLACES.settings
  const service = isOfService ? openSetupService(completion) : null
  const current = readSettings({
    envFile,
    credentials: credentials ?? (isOfService ? PLACES.credentials : null),
    template: isOfService ? SETTINGS_TEMPLATE : null,
  })

  function environmentWith(wanted: Wanted) {
    const env = candidateEnvironment(current, wanted)
    for (const [name, value] of STAND_INS) env[name] ||= value
    return { env, readFile: refuseFile }
  }

  function problemsIn(env: Record<string, string>): readonly string[] {
    try {
      loadConfig({ env, readFile: refuseFile })
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }

  return {
    envFile,
    current,
    problemWith(settings, setting) {
      const start = `${setting} must be `
      const problem = problemsIn(Object.fromEntries(settings)).find((line) =>
        line.startsWith(start),
      )
      return problem?.slice(start.length) ?? null
    },
    problemsOf: (wanted) => problemsIn(environmentWith(wanted).env),
    isLiveKey,
    newJwtSecret: () => randomBytes(JWT_SECRET_BYTES).toString('base64'),
    readSecretFile,
    check: (subject, wanted) =>
      openProviderChecks(environmentWith(wanted), { version })[subject].run(),
    webhook(wanted) {
      const { payment, network } = loadPartialConfig(environmentWith(wanted))
      if (payment?.provider !== 'stripe' || !network?.publicUrl) {
        throw new Error('PUBLIC_URL and STRIPE_SECRET_KEY have to be right first')
      }
      return {
        endpoints: stripeWebhookEndpoints({ ...payment, timeoutMs: TIMEOUT_MS }),
        markOf,
        urls: webhookUrls(network.publicUrl),
        events: ENDPOINT_EVENT_TYPES,
        apiVersion: Stripe.API_VERSION,
      }
    },
    write: (plan) => writeSettings(envFile, plan, current),
    service,
    async openChecks() {
      const written = readSettings({ envFile, credentials: null, template: null })
      const env = Object.fromEntries(written.values)
      const { readFileSync } = await import('node:fs')
      const readFile = (path: string) => readFileSync(path, 'utf8')
      const asked = { mailTo: null, offline: false, envFile, version }
      return openChecks({ env, readFile }, asked)
    },
  }
}

function openSetupService(completion: string): SetupService {
  const installation = openInstallation({ root: '/', command: 'setup' })
  const systemctl = findSystemctl()
  if (!systemctl && !installation.isInstalled()) {
    throw new Error(
      'there is no systemd here, and no service: name the file of the settings by --env-file',
    )
  }
  const files = [PLACES.settings, ...WRITTEN_SECRETS.map((name) => join(PLACES.credentials, name))]
  return {
    isInstalled: installation.isInstalled,
    install: () => installation.install({ completion }),
    start: systemctl && (({ isChanged }) => startService(systemctl, { isChanged, files })),
  }
}

/** What is tried out has no files of its own. */
function refuseFile(path: string): never {
  throw new Error(`${path} is not read here`)
}
