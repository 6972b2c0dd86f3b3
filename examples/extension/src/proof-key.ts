const BASE64URL: Readonly<Record<string, string>> = { '+': '-', '/': '_', '=': '' }

/** 72 characters that nobody guesses (RFC 7636, section 4.1). */
export function newCodeVerifier(): string {
  return crypto.randomUUID() + crypto.randomUUID()
}

/** The method S256 of RFC 7636, section 4.2. */
export async function codeChallengeOf(codeVerifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return base64.replace(/[+/=]/g, (sign) => BASE64URL[sign] ?? '')
}
