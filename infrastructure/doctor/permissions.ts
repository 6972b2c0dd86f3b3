import { type Stats, statSync } from 'node:fs'
import type { ExposedFile } from '../../application/doctor/settings.ts'
import { SECRETS, type Variables } from '../config/settings-source.ts'
import { isOpenToOthers, isWritableByOthers } from '../files/permissions.ts'

/** The files with settings or secrets that others may read, or that users other than their owner may write. */
export function findExposedFiles({
  env,
  envFile,
}: {
  env: Variables
  /** What --env-file names; null without it. */
  envFile: string | null
}): readonly ExposedFile[] {
  const directory = env['CREDENTIALS_DIRECTORY']
  const named = SECRETS.flatMap((name) => [
    { source: `${name}_FILE`, path: env[`${name}_FILE`] },
    { source: name, path: directory ? `${directory}/${name}` : undefined },
  ])
  const files = [{ source: '--env-file', path: envFile ?? undefined }, ...named]
  return files.flatMap(({ source, path }) => {
    const file = path ? findFile(path) : null
    if (!path || !file) return []
    const isWritable = isWritableByOthers(file)
    return isWritable || isOpenToOthers(file) ? [{ source, path, isWritable }] : []
  })
}

/** Null where there is no such file, or where it may not be examined: the loading of the settings reports that. */
function findFile(path: string): Stats | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isFile() ? found : null
  } catch {
    return null
  }
}
