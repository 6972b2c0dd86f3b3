import type { Command } from '../command.ts'
import { COMMON_OPTIONS, type CommandWords, type Option, VERSION_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { quoteForScript, quoteForTerminal } from '../quoting.ts'

export const completionCommand: Command = {
  name: 'completion',
  summary: 'print what makes a shell complete these commands',
  operands: ['SHELL'],
  options: [],
  details: `Prints a script for SHELL, which is bash. For the running shell: source <(alibi completion bash).
For every new one: alibi completion bash >/etc/bash_completion.d/alibi`,
  parse([shell = '']) {
    if (shell === 'bash') return {}
    return { usageError: `completion knows the shell bash, not ${quoteForTerminal(shell)}` }
  },
  run({ commands, print }) {
    print(bashCompletion(commands))
    return EXIT.done
  },
}

/**
 * The candidates for a place: some words, files or folders that the shell finds, or a value that only the user knows.
 */
type Candidates = readonly string[] | 'file' | 'folder' | 'unknown'

/** What may follow the words `behind`. */
type Completion = {
  readonly behind: string
  readonly operand: Candidates
  readonly options: readonly Option[]
}

/** What stands for an operand, or for the value of an option. */
const VALUES: Readonly<Record<string, Candidates>> = {
  FILE: 'file',
  FOLDER: 'folder',
  SHELL: ['bash'],
}

/** The operand of help: any command. */
const HELPED = '[COMMAND]'

/** The script that teaches bash every command, option and operand. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  return bashScript(completions(commands))
}

function completions(commands: readonly CommandWords[]): readonly Completion[] {
  const names = commands.map(({ name }) => name)
  const named = commands.map(({ name, operands: [operand = ''], options }) => ({
    behind: name,
    operand: operand === HELPED ? firstWords(names) : (VALUES[operand] ?? secondWords(name, names)),
    options: [...options, ...COMMON_OPTIONS],
  }))
  const started = firstWords(names).filter((word) => secondWords(word, names).length > 0)
  const unnamed = [...started, ...started.map((word) => `help ${word}`)]
    .filter((behind) => !names.includes(behind))
    .map((behind) => ({
      behind,
      operand: secondWords(behind.replace(/^help /, ''), names),
      options: COMMON_OPTIONS,
    }))
  const nothing = {
    behind: '',
    operand: firstWords(names),
    options: [...COMMON_OPTIONS, VERSION_OPTION],
  }
  return [nothing, ...named, ...unnamed]
}

function firstWords(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.split(' ', 1).join()))]
}

/** The second words of the commands that begin with `first`. */
function secondWords(first: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => name.split(' '))
    .flatMap(([word, second]) => (word === first && second !== undefined ? [second] : []))
}

/** For bash from version 4.4 on; needs no other script. Bash hands `--option=value` over as three words. */
function bashScript(known: readonly Completion[]): string {
  const pairs = known.map(({ behind }) => behind).filter((behind) => behind.includes(' '))
  return `# Completes alibi in bash. Made by "alibi completion bash".
_alibi() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} word behind ended='' wanted='' candidates=''
  local -a words=()
  local -i place
  COMPREPLY=()

  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word == '=' ]]; then continue; fi
    if [[ -n $wanted ]]; then wanted=''; continue; fi
    if [[ -n $ended || $word != -* ]]; then words+=("$word"); continue; fi
    case $word in
      '--') ended=yes ;;
${branches(valuesOf(known))}
    esac
  done

  case "\${words[*]:0:2}" in
    ${alternatives(pairs)}) place=2 ;;
    *) place=1 ;;
  esac
  behind=\${words[*]:0:place}

  if [[ -n $wanted ]]; then
    :
  elif [[ -z $ended && $current == -* ]]; then
    case $behind in
${branches(known.map(({ behind, options }) => [behind, options.map(({ name }) => `--${name}`)]))}
    esac
  elif [[ \${#words[@]} -le $place ]]; then
    case $behind in
${branches(known.map(({ behind, operand }) => [behind, operand]))}
    esac
  fi

  case $wanted in
    file) compopt -o default ;;
    folder) compopt -o dirnames ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current") ;;
  esac
}
complete -F _alibi alibi`
}

/** The candidates for the value of each option that has one. */
function valuesOf(known: readonly Completion[]): readonly (readonly [string, Candidates])[] {
  return [...new Set(known.flatMap(({ options }) => options))].flatMap((option) =>
    option.type === 'string'
      ? [[`--${option.name}`, VALUES[option.value] ?? 'unknown'] as const]
      : [],
  )
}

/** The branches that set what is wanted behind some words, or the candidates where they are known. */
function branches(places: readonly (readonly [string, Candidates])[]): string {
  const assignments = Map.groupBy(
    places.filter(([, candidates]) => candidates.length > 0),
    ([, candidates]) =>
      typeof candidates === 'string'
        ? `wanted=${quoteForScript(candidates)}`
        : `candidates=${quoteForScript(candidates.join(' '))}`,
  )
  return [...assignments]
    .map(
      ([assignment, of]) => `      ${alternatives(of.map(([behind]) => behind))}) ${assignment} ;;`,
    )
    .join('\n')
}

function alternatives(patterns: readonly string[]): string {
  return patterns.map(quoteForScript).join(' | ')
}
