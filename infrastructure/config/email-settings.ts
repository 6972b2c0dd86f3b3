import { findEmail } from '../../domain/email.ts'
import { SECURE_ORIGIN } from './origins.ts'
import { matching, oneOf } from './setting-formats.ts'
import type { AppEnvironment, SettingFormat, SettingsSource } from './settings-source.ts'

/** The settings of each provider of EMAIL_PROVIDER. */
type EmailProviders = {
  readonly console: object
  /** `baseUrl` is null for Resend's own. */
  readonly resend: { readonly apiKey: string; readonly baseUrl: string | null }
}

export type EmailProvider = keyof EmailProviders

export type EmailConfig<Provider extends EmailProvider = EmailProvider> = {
  readonly [One in Provider]: { readonly provider: One } & EmailProviders[One]
}[Provider]

const EITHER_PROVIDER: SettingFormat<EmailProvider> = {
  shape: 'resend or console (smtp is not available in this release)',
  parse: oneOf(['resend', 'console']).parse,
}
const ONLY_RESEND: SettingFormat<EmailProvider> = {
  shape: 'resend (console is for development only; smtp is not available in this release)',
  parse: oneOf(['resend']).parse,
}

/** Where Resend is, unless the settings say otherwise. */
export const RESEND_URL = 'https://api.resend.com'

const API_KEY = matching(/^re_\w+$/, 'a Resend API key, re_…')

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
  settings.refuse('SMTP_URL', 'is not available in this release: use RESEND_API_KEY')
  return READERS[readProvider(settings, environment)](settings)
}

const READERS: {
  readonly [Provider in EmailProvider]: (settings: SettingsSource) => EmailConfig<Provider>
} = {
  console: () => ({ provider: 'console' }),
  resend: (settings) => ({
    provider: 'resend',
    apiKey: settings.require('RESEND_API_KEY', API_KEY, ''),
    baseUrl: settings.read<string | null>('RESEND_BASE_URL', SECURE_ORIGIN, null),
  }),
}

function readProvider(settings: SettingsSource, environment: AppEnvironment): EmailProvider {
  if (environment === 'production') return settings.read('EMAIL_PROVIDER', ONLY_RESEND, 'resend')
  const hasResend = settings.isSet('RESEND_API_KEY')
  return settings.read('EMAIL_PROVIDER', EITHER_PROVIDER, hasResend ? 'resend' : 'console')
}

/** The sender, as it stands in the From header. */
export function readSender(settings: SettingsSource, environment: AppEnvironment): string {
  return environment === 'production'
    ? settings.require('EMAIL_FROM', SENDER, '')
    : settings.read('EMAIL_FROM', SENDER, 'Alibi <no-reply@localhost>')
}
