import { counted } from '../../ui/words.ts'

/** `Payments today`. */
export function titleFor(teams: readonly string[], isAll: boolean): string {
  if (isAll) return 'Everything today'
  const [team] = teams
  return team === undefined || teams.length > 1
    ? 'Your teams today'
    : `${team.charAt(0).toUpperCase()}${team.slice(1)} today`
}

/** `2 environments are broken, 3 things wait for you.` Nothing until both are known. */
export function summaryWords(broken: number | undefined, yours: number | undefined): string {
  if (broken === undefined || yours === undefined) return ''
  if (broken === 0 && yours === 0) return 'Nothing is broken, and nothing waits for you.'
  const down = `${counted(broken, 'environment')} ${broken === 1 ? 'is' : 'are'} broken`
  const waits = `${counted(yours, 'thing')} ${yours === 1 ? 'waits' : 'wait'} for you`
  return `${broken === 0 ? 'Nothing is broken' : down}, ${yours === 0 ? 'nothing waits for you' : waits}.`
}

/** How a person comes into a team. */
export const NO_TEAM = {
  title: 'You are in no team yet',
  why: 'Home shows what your team owns: what is broken, what waits for you, what changed.',
  how: 'Teams are groups at your identity provider. Ask the platform team to add you to your team’s group; Portico sees it within five minutes.',
}

/** What the sections say. */
export const WORDS = {
  broken: 'Broken now',
  nothingBroken: 'Nothing that you can see is broken.',
  yours: 'Waits for you',
  others: 'Waits for others',
  changes: 'What changed',
  noChange: 'No change through Portico yet.',
  needs: 'You need, from others',
  connections: 'Portico’s connections',
  noService: 'No service yet.',
} as const
