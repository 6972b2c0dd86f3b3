import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LockedPackage } from './locked-packages.ts'

const INSTALLED = join(import.meta.dir, '../node_modules')
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

/** The SPDX expression that its authors give; throws where they give none, or another version is installed. */
export function licenseOf({ name, version }: LockedPackage): string {
  const manifest: unknown = JSON.parse(readFileSync(join(INSTALLED, name, 'package.json'), 'utf8'))
  const { version: installed, license } = manifest as { version?: unknown; license?: unknown }
  if (installed !== version) throw new Error(`${name} ${version} is not what is installed`)
  if (typeof license !== 'string') throw new Error(`${name} does not name its license`)
  return license
}

/** The texts of its license and notices, as they come with it; none where it has no such file. */
export function licenseTexts({ name }: LockedPackage): readonly string[] {
  const folder = join(INSTALLED, name)
  return readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
}
