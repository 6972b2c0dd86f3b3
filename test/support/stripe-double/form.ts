import { invalidRequest } from './refusal.ts'

/** What `a[b][0]=c` means to Stripe. Lists are forms whose keys are numbers. */
export type Form = { readonly [key: string]: string | Form }

export function parseForm(text: string): Form {
  const root: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '')
    // `expand[]=x` is a list without written keys.
    if (name.endsWith('[]')) path.push(nextKey(root, path))
    place(root, path, value)
  }
  return root as Form
}

function nextKey(root: Record<string, unknown>, path: readonly string[]): string {
  const list = path.reduce<unknown>((form, key) => Object(form)[key], root)
  return String(Object.keys(Object(list)).length)
}

function place(form: Record<string, unknown>, path: readonly string[], value: string): void {
  const [key = '', ...rest] = path
  if (rest.length === 0) {
    form[key] = value
    return
  }
  form[key] ??= {}
  const inner = form[key]
  if (typeof inner !== 'object' || inner === null) throw invalidRequest(`Invalid ${key}`)
  place(inner as Record<string, unknown>, rest, value)
}

export function textOf(form: Form, key: string): string | null {
  const value = form[key]
  if (value === undefined || value === '') return null
  if (typeof value !== 'string') throw invalidRequest(`Invalid string: ${key}`, { param: key })
  return value
}

export function requiredText(form: Form, key: string): string {
  const value = textOf(form, key)
  if (value === null) {
    const code = 'parameter_missing'
    throw invalidRequest(`Missing required param: ${key}.`, { code, param: key })
  }
  return value
}

export function formOf(form: Form, key: string): Form | null {
  const value = form[key]
  if (value === undefined) return null
  if (typeof value === 'string') throw invalidRequest(`Invalid object: ${key}`, { param: key })
  return value
}

export function integerOf(form: Form, key: string): number | null {
  const text = textOf(form, key)
  if (text === null) return null
  if (!/^-?\d+$/.test(text)) {
    const code = 'parameter_invalid_integer'
    throw invalidRequest(`Invalid integer: ${text}`, { code, param: key })
  }
  return Number(text)
}

export function booleanOf(form: Form, key: string): boolean | null {
  const text = textOf(form, key)
  if (text === null) return null
  if (text !== 'true' && text !== 'false') {
    throw invalidRequest(`Invalid boolean: ${text}`, { param: key })
  }
  return text === 'true'
}

export function refuseUnknown(form: Form, known: readonly string[], prefix = ''): void {
  const unknown = Object.keys(form).find((key) => !known.includes(key))
  if (unknown === undefined) return
  const param = prefix === '' ? unknown : `${prefix}[${unknown}]`
  throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
}
