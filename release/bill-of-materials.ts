import manifest from '../package.json' with { type: 'json' }
import { type LockedPackage, lockedPackage, shippedPackages } from './locked-packages.ts'
import { licenseOf } from './package-metadata.ts'

/** The systems that release.sh makes an executable for, as the packages of the runtime call them. */
export const RUNTIMES = ['linux-aarch64', 'linux-aarch64-musl', 'linux-x64', 'linux-x64-musl']

/** The parts of Bun by other authors; `process.versions` has the version or commit of each. */
const RUNTIME_PARTS = [
  'ares',
  'boringssl',
  'icu',
  'libarchive',
  'libdeflate',
  'lolhtml',
  'lshpack',
  'mimalloc',
  'picohttpparser',
  'sqlite',
  'tinycc',
  'webkit',
  'zlib',
  'zstd',
]

/**
 * The parts of the executables, in CycloneDX 1.6: the packages of the lock file and the runtime. It has no time and no
 * serial number, so that the same sources make the same file.
 */
export function billOfMaterials() {
  const packages = shippedPackages()
  const runtime = lockedPackage('bun')
  const project = `${manifest.name}@${manifest.version}`
  const direct = Object.keys(manifest.dependencies)
  const needed = packages.filter(({ name }) => direct.includes(name)).map(reference)

  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': project,
        name: manifest.name,
        version: manifest.version,
        description: manifest.description,
        purl: `pkg:generic/${project}`,
      },
    },
    components: [
      ...packages.map((one) => ({ type: 'library', ...component(one), licenses: licenses(one) })),
      {
        type: 'platform',
        ...component(runtime),
        licenses: licenses(runtime),
        components: [
          ...RUNTIMES.map((name) => ({
            type: 'platform',
            ...component(lockedPackage(`@oven/bun-${name}`)),
          })),
          ...RUNTIME_PARTS.map(runtimePart),
        ],
      },
    ],
    dependencies: [
      { ref: project, dependsOn: [...needed, reference(runtime)].toSorted() },
      ...packages.map((one) => ({
        ref: reference(one),
        dependsOn: packages
          .filter(({ name, version }) => one.needs.includes(`${name}@${version}`))
          .map(reference),
      })),
      { ref: reference(runtime), dependsOn: [] },
    ],
  }
}

/** Which package it is, and the checksum of its archive. */
function component(one: LockedPackage) {
  const [, group, name = one.name] = /^(@[^/]+)\/(.+)$/.exec(one.name) ?? []
  return {
    'bom-ref': reference(one),
    ...(group ? { group } : {}),
    name,
    version: one.version,
    purl: reference(one),
    hashes: [{ alg: 'SHA-512', content: one.sha512 }],
  }
}

/** Its package URL. */
function reference({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** An expression of one name is a name. */
function licenses(one: LockedPackage) {
  const license = licenseOf(one)
  return [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }]
}

function runtimePart(name: string) {
  const version = process.versions[name]
  if (version === undefined) throw new Error(`Bun ${Bun.version} does not say which ${name} it has`)
  const purl = `pkg:generic/${name}@${version}`
  return { type: 'library', 'bom-ref': purl, name, version, purl }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(billOfMaterials(), null, 2)}\n`)
