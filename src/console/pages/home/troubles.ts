import type { components } from '../../api/schema.gen.ts'
import { type ApplicationHealth, isBroken, verdictWords } from '../../ui/health.ts'

export type Need = components['schemas']['CatalogNeed']

export interface Trouble {
  /** Absent for what is deprecated and works. */
  readonly health?: ApplicationHealth['health']
  readonly words: string
}

/** What is wrong with something that one's services need: it, or whoever provides it, is broken, or it is deprecated. */
export function troubleOf(
  { entity, providers, lifecycle }: Need,
  health: readonly ApplicationHealth[],
): Trouble | undefined {
  const names = new Set([entity, ...providers].map(({ name }) => name))
  const broken = health.find((row) => names.has(row.entity.name) && isBroken(row))
  if (broken !== undefined) {
    const words = `${verdictWords(broken)} in ${broken.environment}`
    return { health: broken.health, words }
  }
  return lifecycle?.toLowerCase() === 'deprecated' ? { words: 'deprecated' } : undefined
}
