import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from './server.ts'
import { giveAway } from './unprivileged-account.ts'

/** Where the certificate of the authority is, which clients are told to trust. */
export const AUTHORITY = 'authority.pem'
/** Of one that has signed nothing. */
export const OTHER_AUTHORITY = 'other-authority.pem'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']

/**
 * Makes an authority and a server certificate for the host that it has signed, and gives the settings with which
 * PostgreSQL uses them.
 */
export async function makeCertificates(folder: string, host: string): Promise<Settings> {
  const path = (name: string) => join(folder, name)
  for (const name of [AUTHORITY, OTHER_AUTHORITY]) {
    await openssl(
      ...['req', '-x509', ...KEY, '-subj', '/CN=An authority of the tests'],
      ...['-keyout', path(`${name}.key`), '-out', path(name)],
    )
  }
  await openssl(
    ...['req', '-new', ...KEY, '-subj', `/CN=${host}`],
    ...['-keyout', path('server.key'), '-out', path('server.request')],
  )
  writeFileSync(path('server.extensions'), `subjectAltName=DNS:${host}\n`)
  await openssl(
    ...['x509', '-req', '-days', '2', '-in', path('server.request'), '-out', path('server.pem')],
    ...['-CA', path(AUTHORITY), '-CAkey', path(`${AUTHORITY}.key`), '-CAcreateserial'],
    ...['-extfile', path('server.extensions')],
  )
  // PostgreSQL refuses a key that others may read.
  chmodSync(path('server.key'), 0o600)
  giveAway(path('server.key'))
  return { ssl: 'on', ssl_cert_file: path('server.pem'), ssl_key_file: path('server.key') }
}

async function openssl(...parameters: readonly string[]): Promise<void> {
  const child = Bun.spawn(['openssl', ...parameters], { stdout: 'ignore', stderr: 'pipe' })
  const words = await child.stderr.text()
  if ((await child.exited) !== 0) throw new Error(`openssl ${parameters[0]} failed:\n${words}`)
}
