import type { Notify } from './notify-socket.ts'

/**
 * Sends by systemd-notify(1), for processes that may not generate code while they run, and so cannot call libc. The
 * messages then come from another process, so that the unit needs NotifyAccess=all. Throws where there is no such
 * program.
 */
export function openNotifyProgram(name: string): Notify {
  const program = Bun.which('systemd-notify')
  if (program === null) throw new Error('systemd-notify is not installed')

  return async (message) => {
    const child = Bun.spawn([program, '--no-block', ...message.split('\n')], {
      env: { NOTIFY_SOCKET: name },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const complaint = await new Response(child.stderr).text()
    if ((await child.exited) !== 0) throw new Error(`systemd-notify failed: ${complaint.trim()}`)
  }
}
