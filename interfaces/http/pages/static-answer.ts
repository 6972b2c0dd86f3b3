import { firstEntries } from '../request/header-list.ts'
import { type CodedText, codedText } from './coded-text.ts'

/** A text, or a file, that stays the same while the process lives, answered from memory. */
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
  const fingerprint = fingerprintOf(text)
  // Weak, because it is the same for every coding (RFC 9110, section 8.8.1).
  const etag = `W/"${fingerprint}"`
  return answerFrom(fingerprint, etag, codedText(text, { ...ownHeaders, etag }, 'once'))
}

/** The same for bytes that are compressed already. */
export function staticFile(
  bytes: Uint8Array<ArrayBuffer>,
  ownHeaders: Readonly<Record<string, string>>,
): StaticAnswer {
  const fingerprint = fingerprintOf(bytes)
  const etag = `"${fingerprint}"`
  const file = { body: new Blob([bytes]), headers: new Headers({ ...ownHeaders, etag }) }
  return answerFrom(fingerprint, etag, () => file)
}

function fingerprintOf(content: string | Uint8Array): string {
  return Bun.hash(content).toString(16)
}

function answerFrom(
  fingerprint: string,
  etag: string,
  inCoding: (acceptEncoding: string | null) => CodedText,
): StaticAnswer {
  return {
    fingerprint,
    answer(request, moreHeaders = {}) {
      const isUnchanged = isKnown(request.headers.get('if-none-match'), etag)
      const { body, headers } = inCoding(
        isUnchanged ? null : request.headers.get('accept-encoding'),
      )
      const answer = isUnchanged
        ? new Response(null, { status: 304, headers })
        : new Response(body, { headers })
      for (const name in moreHeaders) answer.headers.set(name, moreHeaders[name] ?? '')
      return answer
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
