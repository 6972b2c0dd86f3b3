/** A field of a request, and what was filled in. */
export type FilledField = {
  readonly name: string
  /** `property` is one of a JSON body, `body` the body as it is. */
  readonly place: 'path' | 'query' | 'header' | 'property' | 'body' | 'token'
  readonly value: string
  readonly required: boolean
}

/** A request as it will be sent, wherever the service is. */
export type RequestExample = {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null where none is asked for, empty where one is and was not given. */
  readonly token: string | null
  readonly body: string | null
}

type Target = {
  readonly method: string
  /** As a template: `/people/{id}`. */
  readonly path: string
  /** Null where the request has no body. */
  readonly mediaType: string | null
}

/** Optional fields that are empty are left out. */
export function requestExample(
  { method, path, mediaType }: Target,
  fields: readonly FilledField[],
): RequestExample {
  const given = fields.filter(({ value, required }) => required || value !== '')
  const entries = (place: FilledField['place']) =>
    given
      .filter((field) => field.place === place)
      .map(({ name, value }): [string, string] => [name, value])

  const query = new URLSearchParams(entries('query')).toString()
  const place = entries('path').reduce(
    (address, [name, value]) => address.replaceAll(`{${name}}`, percentEncoded(value)),
    path,
  )
  const [[, whole] = ['', JSON.stringify(Object.fromEntries(entries('property')))]] =
    entries('body')
  return {
    method,
    path: query ? `${place}?${query}` : place,
    headers: {
      ...Object.fromEntries(entries('header')),
      ...(mediaType === null ? {} : { 'Content-Type': mediaType }),
    },
    token: given.find((field) => field.place === 'token')?.value ?? null,
    body: mediaType === null ? null : whole,
  }
}

/**
 * The same request for a shell. Where no origin is known, the variable ALIBI stands for it, as TOKEN does for the
 * token.
 */
export function curlCommand(
  { method, path, headers, token, body }: RequestExample,
  origin: string | null,
): string {
  const isUsual = method === (body === null ? 'GET' : 'POST')
  return [
    `curl ${origin === null ? `"$ALIBI${path}"` : quoted(origin + path)}`,
    ...(isUsual ? [] : [`-X ${method}`]),
    ...(token === null ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ')
}

/** The result contains no character that is special to a shell. */
function percentEncoded(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
}

/** In single quotes nothing is special to a POSIX shell but their end. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
