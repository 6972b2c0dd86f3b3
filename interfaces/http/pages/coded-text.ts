import {
  chooseEncoding,
  type Effort,
  type Encoding,
  encode,
  varyOn,
} from '../response/content-encoding.ts'

/** A body, and all the headers that belong to it. An answer that is made of them has copies of its own. */
export type CodedText = { readonly body: Blob; readonly headers: Headers }

/**
 * Gives a text in the coding that an Accept-Encoding header asks for. Each is made when it is first asked for, so that
 * a start does not wait for what may never be read, and kept with its headers: to copy them costs less than to put them
 * together.
 */
export function codedText(
  text: string,
  ownHeaders: Readonly<Record<string, string>>,
  effort: Effort,
): (acceptEncoding: string | null) => CodedText {
  const made = new Map<Encoding | null, CodedText>()

  function make(encoding: Encoding | null): CodedText {
    const plain = new TextEncoder().encode(text)
    const headers = new Headers(ownHeaders)
    varyOn(headers, 'Accept-Encoding')
    if (encoding) headers.set('content-encoding', encoding)
    // A blob is not copied for each answer, as bytes would be.
    return { body: new Blob([encoding ? encode(plain, encoding, effort) : plain]), headers }
  }

  return (acceptEncoding) => made.getOrInsertComputed(chooseEncoding(acceptEncoding), make)
}
