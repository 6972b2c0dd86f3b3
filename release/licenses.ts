import { lockedPackage, shippedPackages } from './locked-packages.ts'
import { licenseOf, licenseTexts } from './package-metadata.ts'

const RULE = '-'.repeat(80)

/** The licences of everything by other authors in the executables. They have to go wherever the executables go. */
export function licenses(): string {
  const runtime = lockedPackage('bun')
  const parts = shippedPackages().map((one) => {
    const texts = licenseTexts(one)
    const title = `${one.name} ${one.version}: ${licenseOf(one)}`
    return [title, ...(texts.length > 0 ? texts : ['It comes without a text.'])].join('\n\n')
  })
  const page = `https://github.com/oven-sh/bun/blob/bun-v${runtime.version}/LICENSE.md`
  const bun = `bun ${runtime.version}: ${licenseOf(runtime)}

The licences of what it consists of, JavaScriptCore (LGPL) among them: ${page}`
  return [...parts, bun].join(`\n\n${RULE}\n\n`)
}

if (import.meta.main) process.stdout.write(`${licenses()}\n`)
