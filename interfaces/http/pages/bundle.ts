// Why: docs/decisions.md#the-pages-have-no-framework
/**
 * A script or style sheet of this folder as browsers get it: with all it imports, and minified. Imported as a macro, it
 * runs when the module that calls it is translated, so that the executable carries the result alone.
 */
export function bundle(file: string): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    process.execPath,
    'build',
    `${import.meta.dir}/${file}`,
    '--minify',
    '--target=browser',
  ])
  if (exitCode !== 0) throw new Error(`${file} cannot be bundled: ${stderr.toString()}`)
  return stdout.toString()
}
