import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import type { PostgresTls } from '../../config/postgres-url.ts'

/**
 * What a certificate of the server has to prove, as libpq has it: nothing, unless authorities are named or the mode
 * asks for it; with `verify-full` also the name of the host. Throws where a file cannot
 * be read, naming its parameter.
 */
export function tlsOptions(
  { mode, rootCertificate, client }: PostgresTls,
  host: string,
): ConnectionOptions {
  const isVerified = mode.startsWith('verify-') || rootCertificate !== null
  return {
    host,
    // An address is no name for SNI: RFC 6066, section 3.
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: isVerified,
    ...(isVerified && authorities(rootCertificate)),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(client && {
      cert: readPem('sslcert', client.certificate),
      key: readPem('sslkey', client.key),
    }),
  }
}

/** Those of the system, where it has any, else those of the runtime. */
function authorities(rootCertificate: string | null): Pick<ConnectionOptions, 'ca'> {
  if (rootCertificate !== null && rootCertificate !== 'system') {
    return { ca: readPem('sslrootcert', rootCertificate) }
  }
  const ca = getCACertificates('system')
  return ca.length > 0 ? { ca } : {}
}

function readPem(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`the file that ${parameter} names cannot be read`, { cause: error })
  }
}
