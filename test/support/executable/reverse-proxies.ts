import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { quietPort } from '../quiet-port.ts'
import { runAlibi } from '../service/alibi-process.ts'
import { until } from './until.ts'

const OPERATIONS = join(import.meta.dir, '../../../operations')
/** The name in the examples. */
export const HOST = 'alibi.example.com'

/** A reverse proxy with the example of operations/, but for addresses, certificate and where it writes. */
export type ReverseProxy = {
  readonly httpsPort: number
  readonly httpPort: number
  /** All that it has written, about requests and about what goes wrong. */
  readonly log: () => string
  stop(): Promise<void>
}

/** Writes what it needs, and resolves with the command that starts it. */
type Prepare = (place: {
  folder: string
  backends: readonly string[]
  httpPort: number
  httpsPort: number
}) => Promise<readonly string[]>

const OUTPUT = 'output'
const ACCESS_LOG = 'access.log'
const ERROR_LOG = 'error.log'

/** By the name of the program. */
export const REVERSE_PROXIES: Readonly<Record<'caddy' | 'nginx', Prepare>> = {
  async caddy({ folder, backends, httpPort, httpsPort }) {
    const file = join(folder, 'Caddyfile')
    const own = `{
	admin off
	local_certs
	skip_install_trust
	default_bind 127.0.0.1
	http_port ${httpPort}
	https_port ${httpsPort}
`
    writeFileSync(
      file,
      replaced(example(backends.length > 1 ? 'Caddyfile.replicas' : 'Caddyfile'), {
        '\n{\n': `\n${own}`,
        ...placesOf(backends),
      }),
    )
    return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile']
  },

  async nginx({ folder, backends, httpPort, httpsPort }) {
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    await makeCertificate(certificate, key)
    const letsencrypt = `/etc/letsencrypt/live/${HOST}`
    const site = replaced(example(backends.length > 1 ? 'nginx-replicas.conf' : 'nginx.conf'), {
      ...placesOf(backends),
      '\tlisten 80;\n': `\tlisten 127.0.0.1:${httpPort};\n`,
      '\tlisten [::]:80;\n': '',
      '\tlisten 443 ': `\tlisten 127.0.0.1:${httpsPort} `,
      '\tlisten [::]:443 ssl http2;\n': '',
      [`${letsencrypt}/fullchain.pem`]: certificate,
      [`${letsencrypt}/privkey.pem`]: key,
      '/var/log/nginx/alibi.log': join(folder, ACCESS_LOG),
      '/var/log/nginx/alibi-error.log': join(folder, ERROR_LOG),
    })
    writeFileSync(join(folder, 'site.conf'), site)
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const file = join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/${ERROR_LOG};
events {}
http {
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  include ${folder}/site.conf;
}
`,
    )
    return ['nginx', '-p', folder, '-e', join(folder, ERROR_LOG), '-c', file]
  },
}

/** By the addresses in the examples, one for each machine that serves. */
function placesOf(backends: readonly string[]): Record<string, string> {
  const inExample = backends.length > 1 ? ['10.0.0.11:3000', '10.0.0.12:3000'] : ['127.0.0.1:3000']
  return Object.fromEntries(inExample.map((place, at) => [place, backends[at] ?? place]))
}

/** Starts it before the services at `backends`, one or two; the caller stops it. */
export async function startReverseProxy(
  name: keyof typeof REVERSE_PROXIES,
  { folder, backends }: { folder: string; backends: readonly string[] },
): Promise<ReverseProxy> {
  mkdirSync(folder)
  const [httpPort, httpsPort] = [await quietPort(), await quietPort()]
  const place = { folder, backends, httpPort, httpsPort }
  const command = await REVERSE_PROXIES[name](place)
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
    stdout: Bun.file(join(folder, OUTPUT)),
    stderr: Bun.file(join(folder, OUTPUT)),
  })
  await until(`${name} serves`, async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, OUTPUT), 'utf8'))
    return speaksTls(httpsPort)
  })
  return {
    httpsPort,
    httpPort,
    log: () =>
      [OUTPUT, ACCESS_LOG, ERROR_LOG]
        .map((name) => join(folder, name))
        .map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
        .join(''),
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

function example(name: string): string {
  return readFileSync(join(OPERATIONS, name), 'utf8')
}

/** Throws for a text that is not there: then the example has changed, and this has to follow. */
function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text
  for (const [old, own] of Object.entries(replacements)) {
    if (!result.includes(old)) throw new Error(`the example has no ${JSON.stringify(old)}`)
    result = result.replaceAll(old, own)
  }
  return result
}

async function makeCertificate(certificate: string, key: string): Promise<void> {
  const made = await runAlibi({
    command: ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
      .concat(['-nodes', '-days', '1', '-subj', `/CN=${HOST}`])
      .concat(['-keyout', key, '-out', certificate]),
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
  })
  if (made.exitCode !== 0) throw new Error(made.stderr)
}

/** Caddy listens before it has made its certificate. */
function speaksTls(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const address = { host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false }
    const socket = connect(address)
    socket.on('secureConnect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('secureConnect', () => socket.destroy())
  })
}
