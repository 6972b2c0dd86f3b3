import { beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openNotifyProgram } from '../../../infrastructure/systemd/notify-program.ts'
import { openNotifySocket, socketAddress } from '../../../infrastructure/systemd/notify-socket.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { listenForNotices } from '../../support/service/notify-listener.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SENDER = join(import.meta.dir, '../../support/fixtures/notify-until-refused.ts')

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const names = [
  ['a path', () => join(folder, 'notify')],
  ['an abstract socket', () => `@alibi-notify-${Bun.randomUUIDv7()}`],
  ['the longest path there is', () => join(folder, 'n'.repeat(107 - folder.length - 1))],
] as const

describe('a message arrives whole, and what was sent later arrives later', () => {
  test.each(names)('at %s', async (_, nameOf) => {
    const name = nameOf()
    using listener = listenForNotices(name)
    const notify = openNotifySocket(name)
    await notify('READY=1\nSTATUS=serves at http://127.0.0.1:3000 – ready')
    await notify('WATCHDOG=1')
    expect(listener.messages()).toEqual([
      'READY=1\nSTATUS=serves at http://127.0.0.1:3000 – ready',
      'WATCHDOG=1',
    ])
  })
})

test('a message is sent before the first pause, so that work which blocks the process comes after it', () => {
  const name = join(folder, 'notify')
  using listener = listenForNotices(name)
  void openNotifySocket(name)('READY=1')
  expect(listener.messages()).toEqual(['READY=1'])
})

test('a message without a receiver is an error that names the socket', async () => {
  const name = join(folder, 'nobody')
  const notify = openNotifySocket(name)
  await expect(notify('READY=1')).rejects.toThrow(name)
})

test('a receiver that does not read holds nothing up: what it has no room for is an error', () => {
  const name = join(folder, 'notify')
  using listener = listenForNotices(name)
  // In a process of its own: one that waits in libc cannot be stopped by a timer of its own.
  const sender = Bun.spawnSync([process.execPath, SENDER, name], { timeout: PATIENCE_MS })
  expect(sender.exitedDueToTimeout).toBeFalsy()
  expect(sender.stdout.toString()).toMatch(/^refused after [0-9]+: .* does not take messages\n$/)
  expect(listener.messages().length).toBeGreaterThan(0)
})

test('a listener that comes back is heard again', async () => {
  const name = join(folder, 'notify')
  listenForNotices(name)[Symbol.dispose]()
  const notify = openNotifySocket(name)
  await expect(notify('READY=1')).rejects.toThrow(name)
  rmSync(name)
  using listener = listenForNotices(name)
  await notify('WATCHDOG=1')
  expect(listener.messages()).toEqual(['WATCHDOG=1'])
})

test('what is no address of a socket is refused before anything is sent', () => {
  expect(() => openNotifySocket('notify')).toThrow('neither an absolute path nor an abstract')
  expect(() => openNotifySocket(`/${'n'.repeat(107)}`)).toThrow('too long')
  expect(() => openNotifySocket(`@${'n'.repeat(108)}`)).toThrow('too long')
  expect(socketAddress('@n')).toEqual(Buffer.from([1, 0, 0, 0x6e]))
  expect(socketAddress('/n')).toEqual(Buffer.from([1, 0, 0x2f, 0x6e, 0]))
})

describe('where libc cannot be called, the program systemd-notify', () => {
  if (Bun.which('systemd-notify') === null) {
    process.stdout.write('not tested here: systemd-notify, which is not installed\n')
    return
  }

  test('sends the same', async () => {
    const name = join(folder, 'notify')
    using listener = listenForNotices(name)
    await openNotifyProgram(name)('READY=1\nSTATUS=serves')
    expect(listener.messages()).toEqual(['READY=1\nSTATUS=serves'])
  })

  test('that fails is an error', async () => {
    const notify = openNotifyProgram(join(folder, 'nobody'))
    await expect(notify('READY=1')).rejects.toThrow('systemd-notify failed: ')
  })
})
