import type { ContentFolder } from '../../application/content/content-files.ts'
import type { Check } from '../../application/doctor/run-checks.ts'
import type { Log, Ports, ServiceState, Supervisor } from '../../application/ports.ts'
import type { Store } from '../../application/store.ts'
import type {
  BackupReport,
  CheckedBackup,
  CopiedTable,
  CopyProgress,
  InstallReport,
  MigrationReport,
  UninstallReport,
} from '../../application/upkeep/reports.ts'
import type { Email } from '../../domain/email.ts'
import type { Handler } from '../http/handler.ts'
import type { Listener } from '../http/listen.ts'
import type { CommandWords } from './command-words.ts'
import type { Setup, SetupPlace, Terminal } from './setup/setup-context.ts'

/**
 * The ways of a command to talk with its user, and everything that it can ask for. Nothing is loaded or opened before a
 * command asks for it, so that a small one starts in a few milliseconds. What opens something throws where the settings
 * that it needs are wrong, or where it cannot be opened, with words for the user.
 */
export type CommandContext = {
  /** Every command, in the order in which help shows them. */
  readonly commands: readonly CommandWords[]
  readonly version: string
  /** What the executable was made from; `unknown` where that was no repository. */
  readonly commit: string
  readonly json: boolean
  /** The settings file that the command line names, as it names it. */
  readonly envFile: string | null
  /** A line of what was asked for. */
  readonly print: (text: string) => void
  /** A line about what is wrong. */
  readonly printError: (text: string) => void
  /** Rewrites the last line of a terminal; null clears it. A file or a pipe gets none of it. */
  readonly progress: (line: string | null) => void
  /** Whether to go on with what cannot be undone. Asks at a terminal alone, and not where `yes` answers already. */
  readonly confirm: (question: string, answer: { readonly yes: boolean }) => Promise<boolean>
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  readonly wait: (milliseconds: number, until?: AbortSignal) => Promise<void>
  readonly monotonicMs: () => number

  /** Runs on an open database, which has to be there and up to date, and closes it. Needs DATABASE_URL alone. */
  readonly withStore: (work: (ports: StorePorts) => Promise<number>) => Promise<number>
  /** Runs on an open database and the providers, and closes them. Needs the settings of the service. */
  readonly withPorts: (work: (ports: Ports) => Promise<number>) => Promise<number>

  readonly listenAddress: () => { readonly host: string; readonly port: number }
  /** Binds the address before it touches the database, so that a second service leaves the first one's alone. */
  readonly openService: () => Promise<Service>
  readonly openChecks: (asked: {
    /** The address to send a test mail to; null for no test mail. */
    readonly mailTo: Email | null
    readonly offline: boolean
  }) => Promise<readonly Check[]>
  readonly describeApi: () => Promise<object>
  /** Reads and proofreads the operator's content in a folder. */
  readonly readContent: (folder: string) => Promise<ContentFolder>

  readonly openMigration: () => Promise<Migration>
  readonly openDataMigration: (databases: {
    readonly from: string
    readonly to: string
  }) => Promise<DataMigration>
  readonly openBackup: (file: string) => Promise<(onStep: OnStep) => BackupReport>
  readonly openRestore: (file: string) => Promise<(onStep: OnStep) => PreparedRestore>

  /** Null where there is nobody to ask. */
  readonly openTerminal: () => Promise<Terminal | null>
  readonly openSetup: (place: SetupPlace, files: { readonly completion: string }) => Promise<Setup>
  readonly openInstallation: (place: InstallationPlace) => Promise<Installation>
  /** Null where there is no systemd to ask. */
  readonly openServiceState: () => Promise<(() => Promise<ServiceState>) | null>
  readonly readUnit: () => Promise<string>
}

type OnStep = (step: string) => void

export type StorePorts = Store &
  Pick<Ports, 'clock'> & { readonly secrets: Pick<Ports['secrets'], 'newGrantId'> }

/** The service, ready to answer behind a listener that has its address already. */
export type Service = {
  readonly listener: Listener
  readonly handler: Handler
  /** The address users reach. */
  readonly publicUrl: string
  readonly version: string
  readonly log: Log
  readonly supervisor: Supervisor
  /** Resolves with the name of the signal that asks the service to stop. */
  readonly stopRequested: Promise<string>
  /** What it does by itself; resolves some time after it was asked to stop. */
  work(): Promise<void>
  /** Tells whoever looks at the database that it serves no more. Never rejects. */
  leave(): Promise<void>
  close(): void
}

export type Migration = {
  /** Where the database is: a path, or a URL without its password. */
  readonly path: string
  readonly applyMigrations: () => Promise<MigrationReport>
}

/** A copy of all data into a database of another kind. */
export type DataMigration = {
  /** Where the databases are, without a password. */
  readonly from: string
  readonly to: string
  /** Resolves once all is there, and throws where nothing is. */
  readonly copy: (options: {
    readonly onProgress: (progress: CopyProgress) => void
    readonly stopping: AbortSignal
  }) => Promise<readonly CopiedTable[]>
}

/** A backup that has passed its checks, ready to be put in place. */
export type PreparedRestore = CheckedBackup & {
  readonly databasePath: string
  /** Returns where the old database is kept; null where there was none. */
  carryOut(): string | null
  end(): void
}

export type InstallationPlace = {
  /** The root folder of the system; `/` is this machine. */
  readonly root: string
  /** The command that changes the system, for messages to the user. */
  readonly command: string
}

/** The service as systemd knows it. */
export type Installation = {
  readonly isInstalled: () => boolean
  /** `completion` is the script for bash. */
  readonly install: (files: { readonly completion: string }) => Promise<InstallReport>
  readonly uninstall: () => Promise<UninstallReport>
}
