import { onTestFinished } from 'bun:test'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './executable/until.ts'
import { listens, quietPort } from './quiet-port.ts'
import { openTemporaryFolder } from './temporary-folder.ts'

/** Debian puts it where only root's PATH leads. */
const PROGRAM = Bun.which('postfix') ?? '/usr/sbin/postfix'
const MAILBOX = 'anna'
const NOBODY = 65_534

/** Whether there is one for tests. Where there is none, or none can be run, that is said in the output. */
export function hasPostfix(): boolean {
  const reason = !existsSync(PROGRAM)
    ? 'which is not installed'
    : process.geteuid?.() === 0
      ? null
      : 'which needs root'
  if (reason !== null) console.log(`not tested here: Postfix, ${reason}`)
  return reason === null
}

/**
 * A Postfix of the test alone, at `localhost` and with this certificate, which takes mails for `anna@example.com` and
 * for nobody else. It shares nothing with one that the machine may have: neither settings, nor queue, nor port.
 */
export async function startPostfix({ cert, key }: { cert: string; key: string }) {
  const folder = openTemporaryFolder()
  const at = (name: string) => join(folder.path, name)
  chmodSync(folder.path, 0o755)
  for (const name of ['conf', 'data', 'queue', 'mail']) mkdirSync(at(name))
  chownSync(at('data'), await idOf('postfix'), NOBODY)
  chownSync(at('mail'), NOBODY, NOBODY)
  const port = await quietPort()
  await Bun.write(at('cert.pem'), cert)
  await Bun.write(at('key.pem'), key)
  await Bun.write(
    at('conf/main.cf'),
    `compatibility_level = 3.6
queue_directory = ${at('queue')}
data_directory = ${at('data')}
mail_owner = postfix
setgid_group = postdrop
myhostname = mail.test
mydestination =
mynetworks = 127.0.0.0/8
maillog_file = /dev/stdout
virtual_mailbox_domains = example.com
virtual_mailbox_base = ${at('mail')}
virtual_mailbox_maps = inline:{ {${MAILBOX}@example.com=${MAILBOX}/} }
virtual_uid_maps = static:${NOBODY}
virtual_gid_maps = static:${NOBODY}
virtual_minimum_uid = 1
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${at('cert.pem')}
smtpd_tls_key_file = ${at('key.pem')}
`,
  )
  await Bun.write(
    at('conf/master.cf'),
    `127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
virtual unix - n n - - virtual
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
`,
  )
  const log = Bun.file(at('log'))
  const child = Bun.spawn([PROGRAM, '-c', at('conf'), 'start-fg'], { stdout: log, stderr: log })
  onTestFinished(async () => {
    await Bun.spawn([PROGRAM, '-c', at('conf'), 'stop'], { stdio: ['ignore', 'ignore', 'ignore'] })
      .exited
    await child.exited
    folder[Symbol.dispose]()
  })
  await until('Postfix listens', async () => {
    if (child.exitCode !== null) throw new Error(`Postfix ended:\n${await log.text()}`)
    return listens(port)
  })

  const arrived = at(`mail/${MAILBOX}/new`)
  return {
    url: `smtp://localhost:${port}`,
    /** The mails that it has put into the mailbox, in no order. */
    mails: () =>
      existsSync(arrived)
        ? readdirSync(arrived).map((name) => readFileSync(join(arrived, name), 'utf8'))
        : [],
    log: () => log.text(),
  }
}

async function idOf(user: string): Promise<number> {
  return Number(await Bun.$`id -u ${user}`.text())
}
