/** What help and the completion say about a command. */
export type CommandWords = {
  /** One word, or two where a command is a part of another. */
  readonly name: string
  readonly summary: string
  /** What stands behind its name, as the usage shows it: in brackets where it may be left out. */
  readonly operands: readonly string[]
  /** In addition to those that every command has. */
  readonly options: readonly Option[]
  readonly details: string
}

/** The same object in every command that takes it. */
export type Option = {
  readonly name: string
  readonly summary: string
} & (
  | { readonly type: 'boolean'; readonly short?: string }
  | {
      readonly type: 'string'
      /** What its value is, as the usage shows it: a FILE and a FOLDER are completed. */
      readonly value: string
      /** The same, for the message to users who leave it out. */
      readonly needs: string
    }
)

/** By the name of the option: a text or, for one without a value, true; undefined where it was not given. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>

export const JSON_OPTION: Option = { name: 'json', type: 'boolean', summary: 'write JSON' }

/** For a command that asks first. */
export const YES_OPTION: Option = { name: 'yes', type: 'boolean', summary: 'do not ask first' }

export const ROOT_OPTION: Option = {
  name: 'root',
  type: 'string',
  needs: 'a folder',
  value: 'FOLDER',
  summary: 'work on the system whose root folder is FOLDER, such as an image',
}

/** Of every command. */
export const COMMON_OPTIONS: readonly Option[] = [
  {
    name: 'env-file',
    type: 'string',
    needs: 'a file',
    value: 'FILE',
    summary: 'read settings from FILE; those of the environment win',
  },
  { name: 'help', type: 'boolean', short: 'h', summary: 'show help' },
]

/** Where no command is named. */
export const VERSION_OPTION: Option = {
  name: 'version',
  type: 'boolean',
  summary: 'same as the command',
}
