import { findEmail } from '../../domain/email.ts'
import { SECURE_ORIGIN } from './origins.ts'
import { matching, oneOf } from './setting-formats.ts'
import type { AppEnvironment, SettingFormat, SettingsSource } from './settings-source.ts'
import { SMTP_URL, type SmtpServer } from './smtp-url.ts'

/** The settings of each provider of EMAIL_PROVIDER. */
type EmailProviders = {
  readonly console: object
  /** `baseUrl` is null for Resend's own. */
  readonly resend: { readonly apiKey: string; readonly baseUrl: string | null }
  readonly smtp: { readonly server: SmtpServer }
}

export type EmailProvider = keyof EmailProviders

export type EmailConfig<Provider extends EmailProvider = EmailProvider> = {
  readonly [One in Provider]: { readonly provider: One } & EmailProviders[One]
}[Provider]

const ANY_PROVIDER: SettingFormat<EmailProvider> = oneOf(['resend', 'smtp', 'console'])
const REAL_PROVIDER: SettingFormat<EmailProvider> = {
  shape: 'resend or smtp (console is for development only)',
  parse: oneOf(['resend', 'smtp']).parse,
}

/** Where Resend is, unless the settings say otherwise. */
export const RESEND_URL = 'https://api.resend.com'

const API_KEY = matching(/^re_\w+$/, 'a Resend API key, re_…')
const FIRST_KEY = { ...API_KEY, shape: `${API_KEY.shape}, or SMTP_URL for any other mail server` }

/** Stands in for a URL that is a problem by itself. */
const NO_SERVER: SmtpServer = { host: '', port: 0, tls: 'first', credentials: null }

// The characters that RFC 5322 allows in a display name only within quotes are left out.
const DISPLAY_NAME = /^[^\p{Cc}<>()[\]:;@\\,"]{1,100}$/u

const SENDER: SettingFormat<string> = {
  shape: 'an address, or a name and an address: Alibi <no-reply@example.com>',
  parse(text) {
    const [, name, address = text] = /^(.*?) +<([^<>]*)>$/u.exec(text) ?? []
    const email = findEmail(address) ?? undefined
    if (email === undefined || name === undefined) return email
    return DISPLAY_NAME.test(name) ? `${name} <${email}>` : undefined
  },
}

export function readEmail(settings: SettingsSource, environment: AppEnvironment): EmailConfig {
  const provider = readProvider(settings, environment)
  // A URL that is set is right, also while it is not used.
  if (provider !== 'smtp') settings.read('SMTP_URL', SMTP_URL, null)
  return READERS[provider](settings)
}

const READERS: {
  readonly [Provider in EmailProvider]: (settings: SettingsSource) => EmailConfig<Provider>
} = {
  console: () => ({ provider: 'console' }),
  resend: (settings) => ({
    provider: 'resend',
    apiKey: settings.require(
      'RESEND_API_KEY',
      settings.isSet('EMAIL_PROVIDER') ? API_KEY : FIRST_KEY,
      '',
    ),
    baseUrl: settings.read<string | null>('RESEND_BASE_URL', SECURE_ORIGIN, null),
  }),
  smtp: (settings) => ({
    provider: 'smtp',
    server: settings.require('SMTP_URL', SMTP_URL, null) ?? NO_SERVER,
  }),
}

/** What EMAIL_PROVIDER says, else the one that has its secret. */
function readProvider(settings: SettingsSource, environment: AppEnvironment): EmailProvider {
  const isProduction = environment === 'production'
  const hasResend = settings.isSet('RESEND_API_KEY')
  const hasSmtp = settings.isSet('SMTP_URL')
  if (hasResend && hasSmtp && !settings.isSet('EMAIL_PROVIDER')) {
    const reason = 'and RESEND_API_KEY are both set: say in EMAIL_PROVIDER which one is used'
    settings.refuse('SMTP_URL', reason)
  }
  const otherwise = hasResend || isProduction ? 'resend' : 'console'
  const fallback = hasSmtp && !hasResend ? 'smtp' : otherwise
  return settings.read('EMAIL_PROVIDER', isProduction ? REAL_PROVIDER : ANY_PROVIDER, fallback)
}

/** The sender, as it stands in the From header. */
export function readSender(settings: SettingsSource, environment: AppEnvironment): string {
  return environment === 'production'
    ? settings.require('EMAIL_FROM', SENDER, '')
    : settings.read('EMAIL_FROM', SENDER, 'Alibi <no-reply@localhost>')
}

/** The address in it, and the domain of that. */
export function senderOf(from: string): { readonly address: string; readonly domain: string } {
  const address = from.replace(/^.*<|>$/g, '')
  return { address, domain: address.slice(address.indexOf('@') + 1).toLowerCase() }
}
