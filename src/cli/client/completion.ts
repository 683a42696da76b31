import type { Command } from 'commander'
import { usage } from './failure.ts'

/** A script that completes the commands and their options. */
export function completion(shell: string, program: Command): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    words: command.options.flatMap(({ long }) => long ?? []),
  }))
  const names = commands.map(({ name }) => name).join(' ')
  switch (shell) {
    case 'bash':
    case 'zsh':
      return [
        ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
        '_portico() {',
        '  local word="${COMP_WORDS[COMP_CWORD]}"',
        `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${names}" -- "$word")); return; fi`,
        '  case "${COMP_WORDS[1]}" in',
        ...commands.map(
          ({ name, words }) =>
            `    ${name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")) ;;`,
        ),
        '  esac',
        '}',
        'complete -F _portico portico',
      ].join('\n')
    case 'fish':
      return [
        'complete -c portico -f',
        `complete -c portico -n __fish_use_subcommand -a "${names}"`,
        ...commands.flatMap(({ name, words }) =>
          words.map(
            (word) =>
              `complete -c portico -n "__fish_seen_subcommand_from ${name}" -l ${word.slice(2)}`,
          ),
        ),
      ].join('\n')
    default:
      throw usage('the shell must be bash, zsh or fish')
  }
}
