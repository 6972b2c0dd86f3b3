import { statSync } from 'node:fs'
import type { ExposedFile } from '../../application/doctor/settings.ts'
import { SECRETS, type Variables } from '../config/settings-source.ts'

const OTHERS = 0o007
const OTHERS_OR_GROUP_WRITE = 0o022

/** The files with settings or secrets in them that not only their owner, and readers of their group, get at. */
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
    const mode = path ? modeOf(path) : null
    if (!path || mode === null) return []
    const isWritable = (mode & OTHERS_OR_GROUP_WRITE) !== 0
    return isWritable || (mode & OTHERS) !== 0 ? [{ source, path, isWritable }] : []
  })
}

/** Null where there is no such file, or none that we may look at: whoever reads it says so. */
function modeOf(path: string): number | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isFile() ? found.mode : null
  } catch {
    return null
  }
}
