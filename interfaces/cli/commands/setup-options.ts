import {
  type Answers,
  DATABASE,
  MAIL_SECRETS,
  QUESTIONS,
} from '../../../application/setup/questions.ts'
import type { UsageError } from '../command.ts'
import { type Option, type OptionValues, YES_OPTION } from '../command-words.ts'

/** What the command line of `setup` asks for. */
export type SetupAsked = {
  /** What the flags say, by the setting; a path for a secret. */
  readonly flags: Answers
  readonly credentials: string | null
  readonly yes: boolean
  readonly start: boolean
}

export const SETUP_OPTIONS: readonly Option[] = [
  ...QUESTIONS.map(({ flag, ...words }): Option => ({ ...words, name: flag, type: 'string' })),
  {
    name: 'credentials',
    type: 'string',
    needs: 'a folder',
    value: 'FOLDER',
    summary: 'with --env-file: keep each secret in a file of its own in FOLDER',
  },
  { name: 'no-start', type: 'boolean', summary: 'leave the service alone' },
  YES_OPTION,
]

export function parseSetup(_: readonly string[], values: OptionValues): SetupAsked | UsageError {
  const flags = new Map(
    QUESTIONS.flatMap(({ setting, flag }) => {
      const value = values[flag]
      return typeof value === 'string' ? [[setting, value] as const] : []
    }),
  )
  const { resend, smtp } = MAIL_SECRETS
  if (flags.has(resend.setting) && flags.has(smtp.setting)) {
    return { usageError: `--${resend.flag} and --${smtp.flag} exclude each other` }
  }
  if (flags.get(DATABASE.setting)?.startsWith('sqlite:') === false) {
    return { usageError: '--database-url needs sqlite:PATH: another URL has a password' }
  }
  const { credentials } = values
  if (credentials !== undefined && values['env-file'] === undefined) {
    return { usageError: '--credentials needs --env-file' }
  }
  return {
    flags,
    credentials: typeof credentials === 'string' ? credentials : null,
    yes: values['yes'] === true,
    start: values['no-start'] !== true,
  }
}
