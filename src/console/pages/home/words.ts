import { counted } from '../../ui/words.ts'

/** `Payments today`. */
export function titleFor(teams: readonly string[], isAll: boolean): string {
  if (isAll) return 'Everything today'
  const [team] = teams
  return team === undefined || teams.length > 1
    ? 'Your teams today'
    : `${team.charAt(0).toUpperCase()}${team.slice(1)} today`
}

interface Summary {
  /** Environments that are broken, or whose health is unknown; undefined until that is known. */
  readonly broken: number | undefined
  readonly unknown: number
  /** Things that wait for the person. */
  readonly yours: number | undefined
}

/** `2 environments are broken, 3 things wait for you.` Nothing until both are known. */
export function summaryWords({ broken, unknown, yours }: Summary): string {
  if (broken === undefined || yours === undefined) return ''
  const whole = unknown === 0 ? 'Nothing is broken' : 'Nothing is known to be broken'
  if (broken === 0 && yours === 0) return `${whole}, and nothing waits for you.`
  const down = `${counted(broken, 'environment')} ${broken === 1 ? 'is' : 'are'} broken`
  const waits = `${counted(yours, 'thing')} ${yours === 1 ? 'waits' : 'wait'} for you`
  return `${broken === 0 ? whole : down}, ${yours === 0 ? 'nothing waits for you' : waits}.`
}
