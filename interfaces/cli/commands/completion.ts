import { COMMANDS, COMMON_OPTIONS, type OPTIONS, type OptionName } from '../command-table.ts'
import { EXIT } from '../exit-codes.ts'

/** What may stand in a place: some words, what the shell itself finds, or what only a person knows. */
type Candidates = readonly string[] | 'file' | 'folder' | 'unknown'

/** What may follow the words `behind`. */
type Completion = {
  readonly behind: string
  readonly operand: Candidates
  readonly options: readonly OptionName[]
}

type ValueName = {
  [Name in OptionName]: (typeof OPTIONS)[Name]['type'] extends 'string' ? Name : never
}[OptionName]

const OPTION_VALUES: Readonly<Record<ValueName, Candidates>> = {
  'env-file': 'file',
  'mail-to': 'unknown',
  root: 'folder',
  since: 'unknown',
}

const OPERANDS: Readonly<Record<string, Candidates>> = {
  FILE: 'file',
  SHELL: ['bash'],
  '[COMMAND]': firstWords(),
}

/** Prints what teaches bash every command, option and operand. */
export function completion({ print }: { print: (text: string) => void }): number {
  print(bashScript(completions()))
  return EXIT.done
}

function completions(): readonly Completion[] {
  const named = COMMANDS.map(({ name, operands: [operand = ''], options }) => ({
    behind: name,
    operand: OPERANDS[operand] ?? secondWords(name),
    options: [...options, ...COMMON_OPTIONS],
  }))
  const started = firstWords().filter((word) => secondWords(word).length > 0)
  const unnamed = [...started, ...started.map((word) => `help ${word}`)]
    .filter((behind) => !named.some((one) => one.behind === behind))
    .map((behind) => ({
      behind,
      operand: secondWords(behind.replace(/^help /, '')),
      options: COMMON_OPTIONS,
    }))
  const nothing = {
    behind: '',
    operand: firstWords(),
    options: [...COMMON_OPTIONS, 'version' as const],
  }
  return [nothing, ...named, ...unnamed]
}

function firstWords(): readonly string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(' ', 1).join()))]
}

/** Of the commands that have two words. */
function secondWords(first: string): readonly string[] {
  return COMMANDS.map(({ name }) => name.split(' ')).flatMap(([word, second]) =>
    word === first && second !== undefined ? [second] : [],
  )
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
${branches(Object.entries(OPTION_VALUES).map(([name, value]) => [`--${name}`, value]))}
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
${branches(known.map(({ behind, options }) => [behind, options.map((name) => `--${name}`)]))}
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

/** The branches that set what is wanted behind some words, or the candidates where they are known. */
function branches(places: readonly (readonly [string, Candidates])[]): string {
  const assignments = Map.groupBy(
    places.filter(([, candidates]) => candidates.length > 0),
    ([, candidates]) =>
      typeof candidates === 'string'
        ? `wanted=${quote(candidates)}`
        : `candidates=${quote(candidates.join(' '))}`,
  )
  return [...assignments]
    .map(
      ([assignment, of]) => `      ${alternatives(of.map(([behind]) => behind))}) ${assignment} ;;`,
    )
    .join('\n')
}

function alternatives(patterns: readonly string[]): string {
  return patterns.map(quote).join(' | ')
}

/** The names of commands and options have no quotes in them. */
function quote(text: string): string {
  return `'${text}'`
}
