import lock from '../bun.lock'

/** A package as the lock file pins it. */
export type LockedPackage = {
  readonly name: string
  readonly version: string
  /** The SHA-512 of its archive, in hexadecimal. */
  readonly sha512: string
  /** `name@version` of what it needs. */
  readonly needs: readonly string[]
}

type Entry = { readonly path: string; readonly needs: Readonly<Record<string, string>> }

const [PROJECT = {}] = Object.values(lock.workspaces)

/**
 * The packages in the executable, sorted: the dependencies and all that they need, without the tools that only build
 * it.
 */
export function shippedPackages(): readonly LockedPackage[] {
  const reached = new Map<string, LockedPackage>()
  const queue: string[] = resolveAll({ path: '', needs: PROJECT.dependencies ?? {} })
  for (const path of queue) {
    if (reached.has(path)) continue
    const own = lockedPackage(path)
    reached.set(path, own)
    queue.push(...resolveAll(entryOf(path)))
  }
  return [...reached.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** By its place in the lock file: its name, or behind the name of a package that needs a version of its own. */
export function lockedPackage(path: string): LockedPackage {
  const [resolved, , , integrity] = arrayOf(path)
  const at = resolved.lastIndexOf('@')
  if (!integrity.startsWith('sha512-')) throw new Error(`bun.lock has no SHA-512 of ${path}`)
  return {
    name: resolved.slice(0, at),
    version: resolved.slice(at + 1),
    sha512: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
    needs: resolveAll(entryOf(path))
      .map((needed) => arrayOf(needed)[0])
      .toSorted(),
  }
}

/** The project itself provides the peers. Those that it only builds or tests with are not in the executable. */
function entryOf(path: string): Entry {
  const [, , information] = arrayOf(path)
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers = [] } = information
  const peers = Object.entries(peerDependencies ?? {}).filter(
    ([name]) => !optionalPeers.includes(name) && !(name in (PROJECT.devDependencies ?? {})),
  )
  // What is for one kind of machine alone, such as a program, is not bundled.
  const optional = Object.entries(optionalDependencies ?? {}).filter(([name]) => {
    const [, , { os, cpu }] = arrayOf(name)
    return os === undefined && cpu === undefined
  })
  return {
    path,
    needs: { ...dependencies, ...Object.fromEntries(optional), ...Object.fromEntries(peers) },
  }
}

/** A package of another version than the one at the top lies below the package that needs it. */
function resolveAll({ path, needs }: Entry): string[] {
  return Object.keys(needs).map((name) => {
    const own = `${path}/${name}`
    return own in lock.packages ? own : name
  })
}

/** Every package comes from a registry; the other kinds have fewer items. */
function arrayOf(path: string) {
  const found = lock.packages[path]
  if (found?.length !== 4) throw new Error(`bun.lock does not have ${path} from a registry`)
  return found
}
