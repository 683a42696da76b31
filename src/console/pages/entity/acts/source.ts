import { type ApplicationHealth, isBroken, verdictWords, worstIn } from '../../../ui/health.ts'
import { type Word, wordOf } from '../../../ui/words.ts'
import type { Environment, PromotionState } from './acts-of.ts'
import { AT, type FormPlan, KEPT, OWN, type Texts } from './form-plan.ts'

/** The environment that an image comes from, and how it fares there. */
export interface Source {
  readonly environment: string
  readonly word: Word
  /** The cause, where there is one. */
  readonly cause: string | null
  readonly since: string | null
  readonly isDown: boolean
}

/** The environment that has the chosen image: the named one, that before it, or the last one that runs the typed tag. */
export function sourceEnvironment(
  { isNew, environment }: FormPlan,
  { environments }: Pick<PromotionState, 'environments'>,
  texts: Texts,
): Environment | undefined {
  const choice = texts[AT.imageFrom]
  const others = environments.filter(({ name }) => name !== environment.name)
  if (choice === OWN) {
    const tag = texts[AT.imageTag].trim()
    return tag === '' ? undefined : others.findLast(({ image }) => image?.tag === tag)
  }
  if (choice !== KEPT) return others.find(({ name }) => name === choice)
  const at = environments.findIndex(({ name }) => name === environment.name)
  return isNew ? environments[at - 1] : undefined
}

/** A version that no environment has tried. */
export const untried = (version: string): Source => ({
  environment: version,
  word: { tone: 'warn', icon: 'warn', label: 'Runs nowhere yet' },
  cause: null,
  since: null,
  isDown: false,
})

/** The worst verdict of the clusters that carry the environment. */
export function sourceOf(
  environment: string | undefined,
  rows: readonly ApplicationHealth[] = [],
): Source | undefined {
  const row = worstIn(rows, environment)
  if (row === undefined) return undefined
  const { health, message, since } = row
  return {
    environment: row.environment,
    word:
      health === 'Unknown' ? { ...wordOf(health), label: verdictWords(row) ?? '' } : wordOf(health),
    cause: health === 'Healthy' ? null : message,
    since,
    isDown: isBroken(row),
  }
}
