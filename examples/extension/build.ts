// Builds the extension into a folder that a browser loads unpacked: ALIBI_URL=https://… bun build.ts [folder]

import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { icon } from './icon.ts'
import { ICON_SIZES, manifestOf } from './manifest.ts'

/** The folders that Chrome takes a language's strings from, where the language alone is none of the Web Store's. */
const LOCALES: Readonly<Record<string, readonly string[]>> = {
  pt: ['pt_BR', 'pt_PT'],
  zh: ['zh_CN', 'zh_TW'],
}
const MANIFEST_STRINGS = ['description', 'insert'] as const

const { env } = process
const url = env['ALIBI_URL'] ?? 'http://localhost:3000'
const name = env['ALIBI_NAME'] ?? 'Alibi'
const version = env['ALIBI_VERSION'] ?? '1.0.0'
const folder = process.argv[2] ?? join(import.meta.dir, 'dist')
const { origin, protocol, hostname } = new URL(url)
if (protocol !== 'https:' && hostname !== 'localhost' && hostname !== '127.0.0.1') {
  throw new Error('ALIBI_URL has to begin with https://, unless it is on this machine')
}

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const { success, logs } = await Bun.build({
  entrypoints: ['src/background.ts', 'src/popup.ts'].map((file) => join(import.meta.dir, file)),
  outdir: folder,
  target: 'browser',
  minify: true,
  define: { ALIBI_URL: JSON.stringify(origin) },
})
if (!success) throw new AggregateError(logs, 'the scripts cannot be built')

for (const file of ['popup.html', 'popup.css']) {
  await cp(join(import.meta.dir, 'src', file), join(folder, file))
}
const manifest = manifestOf({ url: origin, name, version })
await Bun.write(join(folder, 'manifest.json'), JSON.stringify(manifest))
for (const size of ICON_SIZES) await Bun.write(join(folder, `icons/${size}.png`), icon(size))

const messages = join(import.meta.dir, 'messages')
for await (const file of new Bun.Glob('*.json').scan(messages)) {
  const strings: Record<string, string> = await Bun.file(join(messages, file)).json()
  const named = MANIFEST_STRINGS.map((key) => [key, { message: strings[key] }])
  const language = file.replace('.json', '')
  for (const locale of LOCALES[language] ?? [language]) {
    const path = join(folder, '_locales', locale, 'messages.json')
    await Bun.write(path, JSON.stringify(Object.fromEntries(named)))
  }
  await Bun.write(join(folder, 'words', file), JSON.stringify(strings))
}
console.log(`${name} for ${origin} is in ${folder}`)
