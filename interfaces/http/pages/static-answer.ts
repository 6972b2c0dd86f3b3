import { firstEntries } from '../request/header-list.ts'
import { chooseEncoding, type Encoding, encode, varyOn } from '../response/content-encoding.ts'

/** A text that stays the same while the process lives, answered from memory. */
export type StaticAnswer = {
  /** Changes with the text. */
  readonly fingerprint: string
  /** 304 for a client that has it already. `headers` come on top of its own. */
  answer(request: Request, headers?: Readonly<Record<string, string>>): Response
}

export function staticAnswer(
  text: string,
  ownHeaders: Readonly<Record<string, string>>,
): StaticAnswer {
  const bytes = new TextEncoder().encode(text)
  const fingerprint = Bun.hash(bytes).toString(16)
  // Weak, because it is the same for every coding (RFC 9110, section 8.8.1).
  const etag = `W/"${fingerprint}"`

  // Made when first asked for, so that a start does not wait for what may never be read.
  const encoded = new Map<Encoding, Uint8Array<ArrayBuffer>>()
  function bytesIn(encoding: Encoding): Uint8Array<ArrayBuffer> {
    const known = encoded.get(encoding) ?? encode(bytes, encoding, 'once')
    encoded.set(encoding, known)
    return known
  }

  return {
    fingerprint,
    answer(request, moreHeaders = {}) {
      const headers = new Headers({ ...ownHeaders, ...moreHeaders, etag })
      varyOn(headers, 'Accept-Encoding')
      if (isKnown(request.headers.get('if-none-match'), etag)) {
        return new Response(null, { status: 304, headers })
      }
      const encoding = chooseEncoding(request.headers.get('accept-encoding'))
      if (!encoding) return new Response(bytes, { headers })
      headers.set('content-encoding', encoding)
      return new Response(bytesIn(encoding), { headers })
    },
  }
}

/** RFC 9110, section 13.1.2: compared weakly. */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  const tags = firstEntries(ifNoneMatch)
  return tags.includes('*') || tags.some((tag) => opaque(tag) === opaque(etag))
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '')
}
