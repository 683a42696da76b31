import type { components } from '../../api/schema.gen.ts'

type Person = Pick<components['schemas']['Session'], 'teams' | 'platform' | 'groupsAdvice'>

/** Why a person can start no project at all, and whom to ask; `null` when nothing is known against it. */
export const refusalFor = ({ teams, platform, groupsAdvice }: Person): string | null =>
  platform || teams.length > 0
    ? null
    : (groupsAdvice ?? 'You are in no team. Ask the platform team to add you to one.')
