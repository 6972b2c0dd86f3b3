// `bun run docs:commands` writes docs/commands.md from the same texts as `alibi help`.

import { EXIT } from '../interfaces/cli/exit-codes.ts'
import { helpText } from './help-text.ts'

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'failed',
  wrongUsage: 'wrong usage',
  wrongSettings:
    'wrong settings; of `alibi serve` also a database that is damaged, of a newer release, or cannot be migrated',
  interrupted: 'stopped by Ctrl-C; of `alibi setup`',
}

const INTRODUCTION = `<!-- \`bun run docs:commands\` writes this page. Change the command and its help instead. -->

# Commands

All commands but \`alibi serve\`, \`alibi restore\` and \`alibi migrate-data\` work beside the running service, with
the same settings (\`--env-file\`; see [configuration.md](configuration.md)). Commands that look into payments refuse a database that
the service has not brought up to date yet. Commands that report something take \`--json\`. A command that cannot be
undone asks first at a terminal; with \`--yes\` it does not ask. \`source <(alibi completion bash)\` makes bash
complete all of them.`

/** The whole page, with the line break at its end. */
export function commandsPage(): string {
  const [overview = '', ...commands] = helpText().split(/\n\n-{80}\n\n/)
  const sections = commands.map((text) => `## ${nameIn(text)}\n\n${block(text)}`)
  return `${[INTRODUCTION, block(overview), exitCodes(), ...sections].join('\n\n')}\n`
}

/** The command that a help text is on: "alibi purchases show" of "Usage: alibi purchases show ID". */
function nameIn(text: string): string {
  return /^Usage: ((?:[a-z-]+ )+)/.exec(text)?.[1]?.trimEnd() ?? ''
}

function exitCodes(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[]
  const rows = names.map((name) => `| ${EXIT[name]} | ${EXIT_MEANINGS[name]} |`)
  return ['## Exit codes', '', '| exit code | |', '|---|---|', ...rows].join('\n')
}

function block(text: string): string {
  return ['```text', text, '```'].join('\n')
}

if (import.meta.main) {
  await Bun.write(new URL('../docs/commands.md', import.meta.url), commandsPage())
}
