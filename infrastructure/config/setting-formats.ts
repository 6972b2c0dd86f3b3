import type { SettingFormat } from './settings-source.ts'

export const FOLDER: SettingFormat<string> = {
  shape: 'the path of a folder',
  parse: (text) => (/^\P{Cc}+$/u.test(text) ? text : undefined),
}

export const SWITCH: SettingFormat<boolean> = {
  shape: 'on or off',
  parse: (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
}

export function oneOf<const Value extends string>(values: readonly Value[]): SettingFormat<Value> {
  return {
    shape: values.join(' or '),
    parse: (text) => values.find((value) => value === text),
  }
}

export function wholeNumber({ min, max }: { min: number; max: number }): SettingFormat<number> {
  return {
    shape: `a whole number from ${min} to ${max}`,
    parse(text) {
      const number = /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : Number.NaN
      return number >= min && number <= max ? number : undefined
    },
  }
}

/** What the pattern describes, as it stands. */
export function matching(pattern: RegExp, shape: string): SettingFormat<string> {
  return { shape, parse: (text) => (pattern.test(text) ? text : undefined) }
}

/** At least one item, separated by commas, with or without spaces; an item that comes twice counts once. */
export function listOf<Item>(
  parse: (text: string) => Item | undefined,
  shape: string,
): SettingFormat<readonly Item[]> {
  return {
    shape,
    parse(text) {
      const items = text.split(',').map((item) => parse(item.trim()))
      const valid = items.filter((item) => item !== undefined)
      return valid.length === items.length ? [...new Set(valid)] : undefined
    },
  }
}

/** At least so many bytes of UTF-8, not counting blanks around. */
export function secretOfBytes(bytesMin: number): SettingFormat<string> {
  return {
    shape: `at least ${bytesMin} bytes, such as \`openssl rand -base64 ${bytesMin}\` prints`,
    parse: (text) => (new TextEncoder().encode(text.trim()).length >= bytesMin ? text : undefined),
  }
}
