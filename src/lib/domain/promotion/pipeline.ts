import type { EnvironmentName } from '../../names.ts'

/** Who may take an application into a stage: any member of the owning team, or its managers alone. The platform team may always. */
type Promoter = 'member' | 'manager'

/** The way up, in order. */
export const pipeline = [
  { lifecycle: 'development', environment: 'dev', folders: ['dev'], by: 'member' },
  { lifecycle: 'staging', environment: 'staging', folders: ['staging'], by: 'manager' },
  {
    lifecycle: 'production',
    environment: 'production',
    folders: ['production', 'prod'],
    by: 'manager',
  },
] as const satisfies readonly {
  readonly lifecycle: string
  readonly environment: EnvironmentName
  /** Names of its overlay; the first is written, all are read. */
  readonly folders: readonly string[]
  readonly by: Promoter
}[]

export type Stage = (typeof pipeline)[number]
export type StageLifecycle = Stage['lifecycle']

export const FIRST = 'experimental'
export const DEPRECATED = 'deprecated'

export type Lifecycle = typeof FIRST | StageLifecycle | typeof DEPRECATED
export type Target = StageLifecycle | typeof DEPRECATED

export const LIFECYCLES: readonly Lifecycle[] = [
  FIRST,
  ...pipeline.map(({ lifecycle }) => lifecycle),
  DEPRECATED,
]

/** As the catalog reads it: in any case. */
export const parseLifecycle = (text: string | null): Lifecycle | undefined =>
  LIFECYCLES.find((lifecycle) => lifecycle === text?.toLowerCase())

export const stageOf = (lifecycle: string): Stage | undefined =>
  pipeline.find((stage) => stage.lifecycle === lifecycle)

/** The stage that follows a lifecycle; none above production, and none for what is deprecated. */
export function stageAfter(lifecycle: Lifecycle): Stage | undefined {
  if (lifecycle === FIRST) return pipeline[0]
  const index = pipeline.findIndex((stage) => stage.lifecycle === lifecycle)
  return index < 0 ? undefined : pipeline[index + 1]
}

export function stageBefore(stage: Stage): Stage | undefined {
  return pipeline[pipeline.indexOf(stage) - 1]
}
