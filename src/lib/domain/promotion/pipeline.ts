import type { EnvironmentName, LifecycleName } from '../../names.ts'

/** One row of `ENVIRONMENTS`. */
export interface EnvironmentRow {
  readonly environment: EnvironmentName
  /** Lifecycle of the applications in this environment. */
  readonly lifecycle: LifecycleName
  /** Role in the owning team that may promote to this environment. The platform team always may. */
  readonly promotedBy: 'member' | 'manager'
}

/** At least one row, in the order of promotion. */
export type EnvironmentRows = readonly [EnvironmentRow, ...EnvironmentRow[]]

export interface Stage extends EnvironmentRow {
  /** Overlay folders: the first is written, all are read. */
  readonly folders: readonly [string, ...string[]]
}

export const FIRST = 'experimental'
export const DEPRECATED = 'deprecated'
/** Production also has the folder `prod`, and a namespace without a suffix. */
const PRODUCTION = 'production'
const PRODUCTION_FOLDER = 'prod'
const NAMESPACE_MAX = 63

export type Lifecycle = typeof FIRST | LifecycleName | typeof DEPRECATED
export type Target = LifecycleName | typeof DEPRECATED

export type Pipeline = ReturnType<typeof createPipeline>

/** Everything that follows from the environments of an installation. */
export function createPipeline(rows: EnvironmentRows) {
  const folders = new Set<string>(rows.map(({ environment }) => environment))
  const stageFor = (row: EnvironmentRow): Stage => ({
    ...row,
    folders:
      row.environment === PRODUCTION && !folders.has(PRODUCTION_FOLDER)
        ? [row.environment, PRODUCTION_FOLDER]
        : [row.environment],
  })
  const [firstRow, ...laterRows] = rows
  const first = stageFor(firstRow)
  const stages: readonly Stage[] = [first, ...laterRows.map(stageFor)]
  const targets: readonly Target[] = [...stages.map(({ lifecycle }) => lifecycle), DEPRECATED]
  const lifecycles: readonly Lifecycle[] = [FIRST, ...targets]
  const environmentSuffix = new RegExp(`-(?:${[...folders].join('|')})$`)

  const indexOf = (lifecycle: string): number =>
    stages.findIndex((stage) => stage.lifecycle === lifecycle)

  return {
    first,
    stages,
    targets,
    lifecycles,

    /** Case does not matter, as in the catalog. */
    parseLifecycle: (text: string | null): Lifecycle | undefined =>
      lifecycles.find((lifecycle) => lifecycle === text?.toLowerCase()),

    stageOf: (lifecycle: string): Stage | undefined => stages[indexOf(lifecycle)],

    /** `undefined` for the last stage and for `deprecated`. */
    stageAfter(lifecycle: Lifecycle): Stage | undefined {
      if (lifecycle === FIRST) return first
      const index = indexOf(lifecycle)
      return index < 0 ? undefined : stages[index + 1]
    },

    stageBefore: (stage: Stage): Stage | undefined => stages[stages.indexOf(stage) - 1],

    hasReached: (lifecycle: Lifecycle, stage: Stage): boolean =>
      lifecycle === DEPRECATED || indexOf(lifecycle) >= stages.indexOf(stage),

    /** `payments-dev` and `payments` become `payments-staging` in staging, and `payments` in production. */
    namespaceIn({ environment }: Stage, namespace: string): string {
      const root = namespace.replace(environmentSuffix, '')
      const name = environment === PRODUCTION ? root : `${root}-${environment}`
      return name.length > NAMESPACE_MAX ? namespace : name
    },
  }
}
