import { EnvironmentName, LifecycleName } from '../../names.ts'
import { err, ok, type Result } from '../../result.ts'

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

    stageIn: (environment: string | undefined): Stage | undefined =>
      stages.find((stage) => stage.environment === environment),

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

const ENVIRONMENTS_MAX = 10

const RESERVED: readonly string[] = [FIRST, DEPRECATED]
/** Environments and lifecycles that the specification gives to managers. */
const FOR_MANAGERS: readonly string[] = ['staging', 'production']

/** `name:lifecycle:role` per environment, in the order of promotion. Every mistake is reported, by its row. */
export function parseEnvironments(given: string): Result<Pipeline, string> {
  const texts = given.split(',').map((row) => row.trim())
  if (texts.length > ENVIRONMENTS_MAX) {
    return err(`may have at most ${ENVIRONMENTS_MAX} environments, and has ${texts.length}`)
  }
  const rows: EnvironmentRow[] = []
  const mistakes: string[] = []
  for (const [index, text] of texts.entries()) {
    const row = parseRow(text, rows)
    if (row.ok) rows.push(row.value)
    else mistakes.push(`row ${index + 1} ${row.error}`)
  }
  const [first, ...others] = rows
  return first === undefined || mistakes.length > 0
    ? err(`must be name:lifecycle:role, one row per environment: ${mistakes.join('; ')}`)
    : ok(createPipeline([first, ...others]))
}

function parseRow(text: string, before: readonly EnvironmentRow[]): Result<EnvironmentRow, string> {
  const [name, lifecycleText, promotedBy, ...rest] = text.split(':')
  const environment = EnvironmentName.parse(name)
  const lifecycle = LifecycleName.parse(lifecycleText)
  if (promotedBy === undefined || rest.length > 0) return err('needs three parts')
  if (environment === undefined) return needs('name', EnvironmentName)
  if (lifecycle === undefined) return needs('lifecycle', LifecycleName)
  if (promotedBy !== 'member' && promotedBy !== 'manager') {
    return err('needs as its role member or manager')
  }
  if (RESERVED.includes(lifecycle)) {
    return err(`has a lifecycle that is reserved: ${RESERVED.join(' and ')}`)
  }
  if (promotedBy === 'member' && [environment, lifecycle].some(isForManagers)) {
    return err(`is ${FOR_MANAGERS.join(' or ')}, which only managers may promote to`)
  }
  if (before.some((row) => row.environment === environment)) return err('repeats a name')
  if (before.some((row) => row.lifecycle === lifecycle)) return err('repeats a lifecycle')
  return ok({ environment, lifecycle, promotedBy })
}

const needs = (part: string, { maxLength }: { readonly maxLength: number }) =>
  err(`needs as its ${part} up to ${maxLength} lower-case letters, digits and inner dashes`)

const isForManagers = (name: string): boolean => FOR_MANAGERS.includes(name)
