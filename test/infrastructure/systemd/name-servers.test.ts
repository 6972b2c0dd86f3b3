import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installService } from '../../../infrastructure/systemd/install-service.ts'
import { PLACES, unitText } from '../../../infrastructure/systemd/installed-files.ts'
import {
  findLinkLocalNameServers,
  readLinkLocalNameServers,
} from '../../../infrastructure/systemd/name-servers.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('the link-local name servers of resolv.conf', () => {
  test.each<[string, string, readonly string[]]>([
    ['of a cloud', 'nameserver 169.254.169.253\n', ['169.254.169.253']],
    ['with the interface behind them', 'nameserver fe80::1%eth0\n', ['fe80::1']],
    ['in capitals', 'nameserver FE80::A%2\n', ['fe80::a']],
    ['at the end of the range', 'nameserver febf::1\n', ['febf::1']],
    [
      'between others',
      'nameserver 1.1.1.1\n\tnameserver  169.254.0.2 \nnameserver ::1',
      ['169.254.0.2'],
    ],
    ['that are named twice', 'nameserver fe80::1%a\nnameserver fe80::1%b\n', ['fe80::1']],
    [
      'with a comment behind',
      'nameserver 169.254.1.1 # mine\nnameserver 169.254.1.2;x',
      ['169.254.1.1', '169.254.1.2'],
    ],
    ['written on another system', 'nameserver 169.254.1.1\r\n', ['169.254.1.1']],
    ['in comments', '# nameserver 169.254.1.1\n;nameserver fe80::1\n', []],
    ['that are something else', 'search 169.254.1.1\noptions edns0\nnameservers 169.254.1.1\n', []],
    ['that are no addresses', 'nameserver 169.254.1\nnameserver link-local\nnameserver\n', []],
    [
      'that are elsewhere',
      'nameserver 127.0.0.53\nnameserver 169.253.1.1\nnameserver fec0::1\n',
      [],
    ],
    ['of none', '', []],
  ])('%s', (_, text, found) => {
    expect(findLinkLocalNameServers(text)).toEqual([...found])
  })
})

describe('a system', () => {
  let root: string
  beforeEach(() => {
    root = temporaryFolder()
    mkdirSync(join(root, 'etc'))
  })
  const resolvConf = () => join(root, 'etc/resolv.conf')

  test('without the file has none', () => {
    expect(readLinkLocalNameServers(root)).toEqual([])
    mkdirSync(resolvConf())
    expect(readLinkLocalNameServers(root)).toEqual([])
  })

  test.each(['/run/names', '../run/names'])('has its own behind the link %s', (target) => {
    symlinkSync(target, resolvConf())
    expect(readLinkLocalNameServers(root)).toEqual([])
    mkdirSync(join(root, 'run'))
    writeFileSync(join(root, 'run/names'), 'nameserver fe80::1%eth0\n')
    expect(readLinkLocalNameServers(root)).toEqual(['fe80::1'])
  })

  test('gets a unit that lets the service reach them, and is told so', async () => {
    const executable = join(temporaryFolder(), 'alibi')
    writeFileSync(executable, 'version 1')
    const install = () =>
      installService({ root, executable, completion: '# completion', systemctl: null })
    const unit = () => readFileSync(join(root, PLACES.unit), 'utf8')
    expect(await install()).toMatchObject({ nameServers: [] })
    expect(unit()).toBe(unitText([]))

    writeFileSync(resolvConf(), 'nameserver 169.254.169.253\nnameserver 1.1.1.1\n')
    const { nameServers, files } = await install()
    expect(nameServers).toEqual(['169.254.169.253'])
    expect(files).toContainEqual({ path: PLACES.unit, change: 'replaced' })
    expect(unit()).toContain('\nIPAddressAllow=169.254.169.253\n')
    const again = await install()
    expect(again.files).toContainEqual({ path: PLACES.unit, change: 'unchanged' })
  })
})
