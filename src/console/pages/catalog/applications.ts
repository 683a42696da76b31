import type { components } from '../../api/schema.gen.ts'

export type Application = components['schemas']['ApplicationRow']
export type Environment = Application['environments'][number]

/** The columns, in the order of promotion. */
export const ENVIRONMENTS = [
  'dev',
  'staging',
  'production',
] as const satisfies readonly Environment['name'][]

/** As in `entity=` of the environments. */
export const refOf = (kind: string, name: string): string => `${kind}/${name}`.toLowerCase()
