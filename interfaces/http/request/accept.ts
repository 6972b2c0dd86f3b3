import { firstEntries } from './header-list.ts'

/** One thing that a client would take, and how gladly: from 1 down to 0, which means not at all. */
type Preference = { readonly value: string; readonly quality: number }

/** What an Accept-* header lists (RFC 9110, section 12.4.2), the best first. */
export function readPreferences(header: string | null): Preference[] {
  return firstEntries(header)
    .map(readPreference)
    .sort((left, right) => right.quality - left.quality)
}

/** Whether a client would rather have a page than JSON. Browsers say so; a wildcard means both alike. */
export function prefersPage(accept: string | null): boolean {
  const preferences = readPreferences(accept)
  /** That of the first of these ranges that the client names (RFC 9110, section 12.5.1). */
  const qualityOf = (...ranges: readonly string[]) => {
    const named = (range: string) => preferences.find(({ value }) => value.toLowerCase() === range)
    return ranges.flatMap((range) => named(range) ?? []).at(0)?.quality ?? 0
  }
  return (
    qualityOf('text/html', 'text/*', '*/*') > qualityOf('application/json', 'application/*', '*/*')
  )
}

/** Quality 0 for one that cannot be read. Of its parameters, too, only the first ones are read. */
function readPreference(entry: string): Preference {
  const [value = '', ...parameters] = firstEntries(entry, ';')
  const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))
  if (weight === undefined) return { value, quality: 1 }
  const quality = weight.slice(weight.indexOf('=') + 1).trim()
  return {
    value,
    quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0,
  }
}
