/** A text that stays the same while the process lives, answered from memory. */
export type StaticAnswer = {
  /** Changes with the text. */
  readonly fingerprint: string
  /** 304 for whoever has it already. `headers` come on top of its own. */
  answer(request: Request, headers?: Readonly<Record<string, string>>): Response
}

export function staticAnswer(
  text: string,
  ownHeaders: Readonly<Record<string, string>>,
): StaticAnswer {
  const bytes = new TextEncoder().encode(text)
  const fingerprint = Bun.hash(bytes).toString(16)
  const etag = `"${fingerprint}"`
  return {
    fingerprint,
    answer(request, headers = {}) {
      const allHeaders = { ...ownHeaders, ...headers, etag }
      return isKnown(request.headers.get('if-none-match'), etag)
        ? new Response(null, { status: 304, headers: allHeaders })
        : new Response(bytes, { headers: allHeaders })
    },
  }
}

/** RFC 9110, section 13.1.2: compared weakly, since a proxy that compresses marks the tag as weak. */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
