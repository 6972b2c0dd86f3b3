import { readFileSync } from 'node:fs'

// Why: docs/decisions.md#the-pages-have-no-framework
/**
 * A script or style sheet of this folder as browsers get it: with all it imports, and minified. Imported as a macro, it
 * runs when the module that calls it is translated, so that the executable carries the result alone.
 */
export function bundle(file: string): string {
  // For browsers Bun writes style sheets for those of 2020, with selectors that today's take for faults
  // (docs/upstream.md); for itself it writes them as they are.
  const target = file.endsWith('.css') ? 'bun' : 'browser'
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    process.execPath,
    'build',
    `${import.meta.dir}/${file}`,
    '--minify',
    `--target=${target}`,
  ])
  if (exitCode !== 0) throw new Error(`${file} cannot be bundled: ${stderr.toString()}`)
  return stdout.toString()
}

/** A file of this folder in Base64. Imported as a macro, too. */
export function inBase64(file: string): string {
  return readFileSync(`${import.meta.dir}/${file}`, 'base64')
}
