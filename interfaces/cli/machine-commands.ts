import type { Command } from './command-table.ts'

export const SERVING_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'serve until asked to stop',
    operands: [],
    options: [],
    details:
      'Brings the database up to date and serves. SIGTERM lets the answers under way finish first.',
  },
  {
    name: 'healthcheck',
    summary: 'ask the service on this machine whether it is ready',
    operands: [],
    options: [],
    details: 'Asks the service at HOST and PORT. Exits 0 when it is ready, and 1 when it is not.',
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong, or will be, and say what to do',
    operands: [],
    options: ['mail-to', 'offline', 'json'],
    details: `Checks the settings, the content, the database, its backups and its disk, the clock, the payment
provider (key, price, webhook endpoint), the mail provider (key, domain), and whether the service
answers at PUBLIC_URL and knows its visitors apart behind the proxy. Prints a line for each: ok,
warning, failed, or skipped where it cannot be told, and what to do. Changes nothing; --mail-to
sends one mail. What is asked over the network has a time limit; --offline leaves it out. Exits 0
when nothing failed, 78 when the settings are wrong, else 1.
Needs the settings of the service, and works while the service runs.`,
  },
]

export const MACHINE_COMMANDS: readonly Command[] = [
  {
    name: 'migrate',
    summary: 'bring the database up to date',
    operands: [],
    options: ['json'],
    details: `Applies the migrations that the database lacks, after a copy of it as it was has been put beside it.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'backup',
    summary: 'copy the database into a file, while the service runs',
    operands: ['FILE'],
    options: ['json'],
    details: `Writes a copy of the database as it is at one moment to FILE, checks it, and writes its checksum to
FILE.sha256 for "sha256sum --check". Never overwrites a file. The copy has everything in it,
addresses included, so only its owner may read it.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'restore',
    summary: 'put a backup in the place of the database',
    operands: ['FILE'],
    options: ['yes', 'json'],
    details: `Checks FILE (its checksum where FILE.sha256 is there, its integrity, and that this executable knows
its schema) and puts a copy of it in the place of the database. The old database stays beside the
new one, and the line that is printed says where. Refuses while the service, or anything else, has
the database open. Asks first at a terminal. Once the service runs again it asks the payment
provider for what was sold since; tokens ended since, and grants given or revoked by hand, are as
they were.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'service install',
    summary: 'make this executable a systemd service, or upgrade it',
    operands: [],
    options: ['root', 'json'],
    details: `Copies this executable to /usr/local/bin/alibi, writes the unit alibi.service and the completion
for bash, and, where there are none yet, the settings file /etc/alibi/alibi.env and a folder for the
secrets, /etc/alibi/credentials, with a JWT_SECRET in it. What is there already stays, but settings
and secrets that others could read or change are closed to them. Run again it changes only what
differs, so that it upgrades as well: the executable that was there stays beside the new one as
alibi.previous, and a service that runs is started anew. Refuses folders that others may write to,
and links that lead out of an image. Prints what it did and what to do next. Needs root, except for
an image (--root).`,
  },
  {
    name: 'service uninstall',
    summary: 'take the systemd service away, and keep its data',
    operands: [],
    options: ['root', 'yes', 'json'],
    details: `Stops the service and takes its unit and the executable away. The database, its backups, the
settings and the secrets stay where they are, and the lines that are printed say where. Asks first
at a terminal. Needs root, except for an image (--root).`,
  },
  {
    name: 'service status',
    summary: 'say whether the systemd service is installed, and how it does',
    operands: [],
    options: ['json'],
    details: 'Exits 0 when the service runs, else 1.',
  },
  {
    name: 'service print',
    summary: 'print the unit that "service install" writes',
    operands: [],
    options: [],
    details: 'Writes nothing to disk, and needs no rights.',
  },
]
