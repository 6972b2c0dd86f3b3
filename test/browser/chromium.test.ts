import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium } from '../support/browser/chromium.ts'
import { sharedTemporaryFolder } from '../support/temporary-folder.ts'

const folder = sharedTemporaryFolder()

const nothingPackaged = async () => []

/** A command that says what it is, as browsers do, or fails. */
function command(name: string, script: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test('the browser that CHROMIUM_PATH names is taken before one that is installed', async () => {
  const named = command('mine', 'echo "Chromium 1.2.3.4 somewhere"')
  command('google-chrome', 'echo "Google Chrome 5.6.7.8"')
  const CHROMIUM_PATH = named
  expect(await findChromium({ CHROMIUM_PATH, PATH: folder }, nothingPackaged)).toEqual({
    executablePath: named,
    env: {},
    version: 'Chromium 1.2.3.4',
  })
  expect(await findChromium({ PATH: folder }, nothingPackaged)).toMatchObject({
    version: 'Google Chrome 5.6.7.8',
  })
})

test('one that is named and does not run is no reason to take another', async () => {
  for (const CHROMIUM_PATH of [join(folder, 'missing'), command('broken', 'exit 127')]) {
    await expect(findChromium({ CHROMIUM_PATH, PATH: folder })).rejects.toThrow(
      `CHROMIUM_PATH names no browser that runs: ${CHROMIUM_PATH}`,
    )
  }
})

test('one that is installed and does not run is passed over', async () => {
  command('chromium', 'echo "Command requires the chromium snap to be installed." >&2; exit 1')
  command('chromium-browser', 'echo "no version"')
  command('google-chrome', 'echo "Google Chrome 5.6.7.8"')
  expect(await findChromium({ PATH: folder }, nothingPackaged)).toMatchObject({
    version: 'Google Chrome 5.6.7.8',
  })
})

test('the one that npm has brought is taken before one that is installed', async () => {
  const executablePath = command('packaged', 'echo "Chromium 9.9.9.9"')
  command('google-chrome', 'echo "Google Chrome 5.6.7.8"')
  const packaged = async () => [{ executablePath, env: {} }]
  expect(await findChromium({ PATH: folder }, packaged)).toMatchObject({ executablePath })
})

test('where none runs there is none', async () => {
  expect(await findChromium({ PATH: '' }, nothingPackaged)).toBeNull()
})
