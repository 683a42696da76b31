import type { components } from '../../api/schema.gen.ts'

export type Application = components['schemas']['ApplicationRow']
export type Environment = Application['environments'][number]

/** The columns, in the order of promotion: each row has all environments. */
export const environmentsOf = (rows: readonly Application[]): readonly string[] =>
  rows[0]?.environments.map(({ name }) => name) ?? []

/** As in `entity=` of the environments. */
export const refOf = (kind: string, name: string): string => `${kind}/${name}`.toLowerCase()
