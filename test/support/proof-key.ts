import { parseCodeChallenge, parseCodeVerifier } from '../../domain/code-challenge.ts'

// The example of RFC 7636, appendix B, and the pair of another browser.

export const VERIFIER = parseCodeVerifier('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')
export const CHALLENGE = parseCodeChallenge('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')

export const OTHER_VERIFIER = parseCodeVerifier('0123456789.abcdefghijklmnopqrstuvwxyz~ABCDEF')
export const OTHER_CHALLENGE = parseCodeChallenge(
  new Bun.CryptoHasher('sha256').update(OTHER_VERIFIER).digest('base64url'),
)
