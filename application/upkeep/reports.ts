import type { ServiceState } from '../ports.ts'

/** What a migration has done. */
export type MigrationReport = {
  /** The names of the migrations that were lacking, in the order of their application. */
  readonly applied: readonly string[]
  /** The latest of all. */
  readonly version: string
  /** The path of the copy from before; null where there was nothing to keep, and for a PostgreSQL. */
  readonly copy: string | null
}

export type BackupReport = {
  /** Absolute. Its checksum is beside it. */
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  /** The newest migration in it. */
  readonly version: string
}

/** What was found out about a backup that may be restored. */
export type CheckedBackup = {
  readonly bytes: number
  /** Whether there was a checksum beside it. Then it was right. */
  readonly hadChecksum: boolean
  /** The newest migration in it. */
  readonly version: string
}

/** How many rows a table has, and the SHA-256, in hexadecimal, of all of them in the order of their key. */
export type TableDigest = { readonly rows: number; readonly sha256: string }

export type CopiedTable = {
  readonly name: string
  readonly source: TableDigest
  readonly target: TableDigest
}

export type CopyProgress = {
  readonly step: 'copying' | 'comparing'
  readonly table: string
  readonly rows: number
}

/**
 * What was done to a file. `kept`: it is the operator's. `unchanged`: it was right. `mended`: only its mode was wrong.
 */
export type FileChange = 'created' | 'replaced' | 'unchanged' | 'kept' | 'mended'

export type InstallReport = {
  /** Each by its path on the system on which it was installed. */
  readonly files: readonly { readonly path: string; readonly change: FileChange }[]
  /** Whether it was enabled now, and whether a service that ran was restarted. */
  readonly enabled: boolean
  readonly restarted: boolean
  /** The link-local name servers that the service may reach. */
  readonly nameServers: readonly string[]
  /** Null where no systemd was asked. */
  readonly service: Pick<ServiceState, 'active' | 'enabled'> | null
}

/** The files that were removed, and those that are still there. */
export type UninstallReport = {
  readonly removed: readonly string[]
  readonly kept: readonly string[]
}
