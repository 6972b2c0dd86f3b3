import type { InstallReport } from '../../../application/upkeep/reports.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION, ROOT_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { alignColumns } from '../text-layout.ts'
import { bashCompletion } from './completion.ts'

export const serviceInstallCommand: Command<{ readonly root: string }> = {
  name: 'service install',
  summary: 'make this executable a systemd service, or upgrade it',
  operands: [],
  options: [ROOT_OPTION, JSON_OPTION],
  details: `Copies this executable to /usr/local/bin/alibi, writes the unit alibi.service and the completion
for bash, and, where there are none yet, the settings file /etc/alibi/alibi.env and a folder for the
secrets, /etc/alibi/credentials, with a JWT_SECRET in it. What is there already stays, but settings
and secrets that others could read or change are closed to them. Run again it changes only what
differs, so that it upgrades as well: the executable that was there stays beside the new one as
alibi.previous, and a service that runs is started anew. Refuses folders that others may write to,
and links that lead out of an image. The service may reach no link-local address but a name server
that /etc/resolv.conf names at that moment. Prints what it did and what to do next. Needs root,
except for an image (--root).`,
  parse: (_, { root = '/' }) => ({ root: String(root) }),
  async run(context, { root }) {
    const installation = await context.openInstallation({ root, command: 'service install' })
    const completion = `${bashCompletion(context.commands)}\n`
    return serviceInstall({ ...context, install: () => installation.install({ completion }) })
  },
}

const NEXT_STEPS = `Next:
  sudo alibi setup
It asks for all that a sale needs, and starts the service. Or by hand:
  1. Fill in PUBLIC_URL and EMAIL_FROM, and look at the rest:
       sudoedit /etc/alibi/alibi.env
  2. At Stripe, add a webhook endpoint for PUBLIC_URL/webhook/stripe; the doctor names its events.
  3. Put each secret into its file. Paste it, then press Enter and Ctrl-D:
       sudo tee /etc/alibi/credentials/STRIPE_SECRET_KEY >/dev/null
       sudo tee /etc/alibi/credentials/STRIPE_WEBHOOK_SECRET >/dev/null
       sudo tee /etc/alibi/credentials/RESEND_API_KEY >/dev/null     (or SMTP_URL)
  4. Start it, and let it be looked over:
       sudo systemctl start alibi
       sudo alibi doctor --env-file /etc/alibi/alibi.env`

/** Installs the service, or brings an installed one up to date, and says what that took and what is left to do. */
export async function serviceInstall({
  install,
  version,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  install: () => Promise<InstallReport>
  version: string
}): Promise<number> {
  const report = await install()
  if (json) {
    const { service, ...done } = report
    print(JSON.stringify({ version, ...done, active: service?.active ?? null }))
    return EXIT.done
  }
  const isRight = report.files.every(({ change }) => change === 'unchanged' || change === 'kept')
  if (isRight) print(`Nothing to change: alibi ${version} is installed.`)
  else print(alignColumns(report.files.map(({ path, change }) => [change, path])).join('\n'))
  for (const sentence of describeService(report)) print(sentence)
  if (!report.service?.active) print(`\n${NEXT_STEPS}`)
  return EXIT.done
}

function describeService({
  enabled,
  restarted,
  nameServers,
  service,
}: InstallReport): readonly string[] {
  return [
    ...nameServers.map(
      (address) => `The service may reach the name server ${address}, as /etc/resolv.conf has it.`,
    ),
    ...(service ? [] : ['No systemd was asked: it finds the service when it starts the system.']),
    ...(enabled ? ['The service is enabled: it starts with the machine.'] : []),
    ...(service && !service.enabled
      ? ['The service does not start with the machine: "sudo systemctl enable alibi" lets it.']
      : []),
    ...(restarted ? ['The service was started anew, and serves.'] : []),
    ...(service?.active && !restarted ? ['The service runs, and was left alone.'] : []),
    ...(service && !service.active ? ['The service does not run yet.'] : []),
  ]
}
