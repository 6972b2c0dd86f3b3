import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { cachePath, makeDraft } from '../checkout-cache.ts'

const PACKAGE = '@sparticuz/chromium'
const FONT_SETTINGS = '/etc/fonts/fonts.conf'

const unpacked = promisify(brotliDecompress)

/**
 * The browser that npm has brought, as it is and with the libraries that come with it, for machines that have none of
 * their own. Empty where it is for other machines than this, or not there.
 */
export async function packagedChromium(): Promise<
  { executablePath: string; env: Record<string, string> }[]
> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return []
  const folder = await unpackOnce().catch(() => null)
  if (folder === null) return []
  const executablePath = join(folder, 'chromium')
  const fonts = existsSync(FONT_SETTINGS) ? {} : { FONTCONFIG_FILE: join(folder, 'fonts.conf') }
  return [
    { executablePath, env: fonts },
    { executablePath, env: { ...fonts, LD_LIBRARY_PATH: join(folder, 'lib') } },
  ]
}

/** What is there is whole: it is made elsewhere and moved, and the first to be done wins. */
async function unpackOnce(): Promise<string> {
  const archives = join(dirname(Bun.resolveSync(PACKAGE, import.meta.dir)), '..', 'bin')
  const { version } = await Bun.file(join(archives, '..', 'package.json')).json()
  const folder = cachePath(`chromium-${version}`)
  if (existsSync(folder)) return folder

  const making = makeDraft()
  try {
    await Promise.all([
      unpackFile(join(archives, 'chromium.br'), join(making, 'chromium')),
      unpackFolder(join(archives, 'al2023.tar.br'), making),
      unpackFolder(join(archives, 'fonts.tar.br'), making),
    ])
    // The settings that come with the fonts look for them where the package would have put them.
    writeFileSync(join(making, 'fonts.conf'), fontSettings(folder))
    renameSync(making, folder)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

async function unpackFile(archive: string, file: string): Promise<void> {
  writeFileSync(file, await unpacked(await Bun.file(archive).bytes()), { mode: 0o755 })
}

async function unpackFolder(archive: string, folder: string): Promise<void> {
  const tar = await unpacked(await Bun.file(archive).bytes())
  await new Bun.Archive(tar).extract(folder)
}

function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${Bun.escapeHTML(join(folder, 'fonts'))}</dir>
  <cachedir>${Bun.escapeHTML(join(folder, 'fonts-cache'))}</cachedir>
</fontconfig>
`
}
