import type { components } from '../../api/schema.gen.ts'
import { type ApplicationHealth, isBroken, verdictWords } from '../../ui/health.ts'

export type Need = components['schemas']['CatalogNeed']

export interface NeedState {
  readonly isTrouble: boolean
  /** A word of `words.ts`; absent for what has no health, such as a database of others. */
  readonly word: string | undefined
  readonly words: string
}

/** How something fares that one's services need: it, or whoever provides it, is broken, or it is deprecated. */
export function stateOf(
  { entity, providers, lifecycle }: Need,
  health: readonly ApplicationHealth[],
): NeedState {
  const names = new Set([entity, ...providers].map(({ name }) => name))
  const rows = health.filter((row) => names.has(row.entity.name))
  const broken = rows.find(isBroken)
  if (broken !== undefined) {
    const words = `${verdictWords(broken)} in ${broken.environment}`
    return { isTrouble: true, word: broken.health, words }
  }
  if (lifecycle?.toLowerCase() === 'deprecated') {
    return { isTrouble: true, word: 'deprecated', words: 'deprecated' }
  }
  const [first] = rows
  if (first === undefined) return { isTrouble: false, word: undefined, words: '' }
  const isWell = rows.some((row) => row.health === 'Healthy')
  return isWell
    ? { isTrouble: false, word: 'Healthy', words: '' }
    : { isTrouble: false, word: first.health, words: verdictWords(first)?.toLowerCase() ?? '' }
}
