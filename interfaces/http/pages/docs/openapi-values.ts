export type Json = Readonly<Record<string, unknown>>

/** Follows a reference within the document (`#/components/schemas/Name`). */
export function resolve(document: Json, input: unknown): Json {
  const value = asRecord(input)
  const reference = asText(value['$ref'])
  if (!reference.startsWith('#/')) return value
  const steps = reference.slice(2).split('/').map(unescapeStep)
  return asRecord(steps.reduce<unknown>((place, step) => asRecord(place)[step], document))
}

/** RFC 6901. */
function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The object, or an empty one for anything else. */
export function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A value as people read it: a string as it is, anything else as JSON, nothing as nothing. */
export function formatValue(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
