import {
  DEFAULT_LANGUAGE,
  findLanguage,
  type Language,
  matchLanguage,
} from '../../domain/language.ts'

/** The language a request asks for: by name, else by its Accept-Language header among those offered, else the default. */
export function requestLanguage(
  request: Request,
  { lang, offered }: { lang: string | undefined; offered: readonly Language[] },
): Language {
  if (lang !== undefined) return matchLanguage(lang)
  return acceptedLanguage(request.headers.get('accept-language'), offered)
}

/** The language on offer that an Accept-Language header (RFC 9110, section 12.5.4) prefers, or the default. */
export function acceptedLanguage(header: string | null, offered: readonly Language[]): Language {
  const [preferred] = (header ?? '')
    .split(',')
    .map(readPreference)
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality)
    .flatMap(({ tag }) => findLanguage(tag) ?? [])
    .filter((language) => offered.includes(language))
  return preferred ?? DEFAULT_LANGUAGE
}

/** Quality 0, which means "not this one", for a quality that cannot be read. */
function readPreference(entry: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))
  if (weight === undefined) return { tag, quality: 1 }
  const value = weight.slice(weight.indexOf('=') + 1).trim()
  return { tag, quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0 }
}
