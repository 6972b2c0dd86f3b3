// Runs inside the sandbox of the unit, by the runtime within the executable, and says what it could do there.
import { accessSync, constants, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setPriority, constants as system } from 'node:os'

const OWN = '/usr/local/bin/alibi'
const { CREDENTIALS_DIRECTORY = '', STATE_DIRECTORY = '' } = process.env

const WRITABLE = [STATE_DIRECTORY, '/tmp', '/var/tmp', '/dev/shm']

const attempts: Record<string, () => unknown> = {
  'reads a credential': () => readFileSync(`${CREDENTIALS_DIRECTORY}/JWT_SECRET`).length,
  'reads the settings of the service': () =>
    readFileSync(`${CREDENTIALS_DIRECTORY}/alibi.env`).length,
  'writes to its state': () => writeFileSync(`${STATE_DIRECTORY}/probe`, 'x'),
  'writes to its own /tmp': () => writeFileSync('/tmp/probe', 'x'),
  'runs itself': () => spawn([OWN, '-e', 'process.exit(0)']),
  'gives way to others': () => setPriority(system.priority.PRIORITY_LOW),
  'listens on a free port': () => createServer().listen(0, '127.0.0.1').close(),
  'reads the settings at their source': () => readFileSync('/etc/alibi/alibi.env'),
  'reads a secret at its source': () => readFileSync('/etc/alibi/credentials/JWT_SECRET'),
  'reads the passwords': () => readFileSync('/etc/shadow'),
  'reads the environment of process 1': () => readFileSync('/proc/1/environ'),
  'sees other processes': () => {
    const others = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
    if (others.length < 2) throw new Error('none')
  },
  'looks into /home': () => readdirSync('/home'),
  'looks into /root': () => readdirSync('/root'),
  'writes to /etc': () => writeFileSync('/etc/probe', 'x'),
  'writes to /usr/local/bin': () => writeFileSync('/usr/local/bin/probe', 'x'),
  'writes to its executable': () => accessSync(OWN, constants.W_OK),
  'writes to /var': () => writeFileSync('/var/probe', 'x'),
  'runs a shell': () => spawn(['/bin/sh', '-c', 'true']),
}

for (const folder of WRITABLE) {
  attempts[`runs what it has written to ${folder}`] = () => {
    writeFileSync(`${folder}/program`, `#!${OWN}\n`, { mode: 0o755 })
    spawn([`${folder}/program`])
  }
}

function spawn(command: string[]): void {
  const { exitCode } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}`)
}

const can = Object.entries(attempts).flatMap(([name, attempt]) => {
  try {
    attempt()
    return [name]
  } catch {
    return []
  }
})
process.stdout.write(
  JSON.stringify({ attempted: Object.keys(attempts), can, user: process.getuid?.() }),
)
