import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findExposedFiles } from '../../../infrastructure/doctor/permissions.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('the files with secrets that others get at are found, wherever they are named', () => {
  const folder = temporaryFolder()
  const make = (name: string, mode: number) => {
    const path = join(folder, name)
    writeFileSync(path, 'x')
    chmodSync(path, mode)
    return path
  }
  const envFile = make('alibi.env', 0o644)
  const key = make('key', 0o620)
  make('JWT_SECRET', 0o604)
  make('RESEND_API_KEY', 0o440)
  const env = {
    STRIPE_SECRET_KEY_FILE: key,
    STRIPE_WEBHOOK_SECRET_FILE: join(folder, 'nowhere'),
    RESEND_API_KEY_FILE: '/dev/null',
    CREDENTIALS_DIRECTORY: folder,
  }
  expect(findExposedFiles({ env, envFile })).toEqual([
    { source: '--env-file', path: envFile, isWritable: false },
    { source: 'JWT_SECRET', path: join(folder, 'JWT_SECRET'), isWritable: false },
    { source: 'STRIPE_SECRET_KEY_FILE', path: key, isWritable: true },
  ])
})
