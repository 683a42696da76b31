import type { components } from '../../api/schema.gen.ts'
import type { EntityAct } from './acts/acts-of.ts'
import type { Environment, Promotion } from './stage.ts'

export type Version = components['schemas']['ReleasableVersion']

/** A version in an environment. */
export type Cell =
  | { readonly kind: 'here' }
  | { readonly kind: 'review'; readonly pullRequest: number }
  /** It can come here. `isNext`: it runs in the environment before, or is the newest for the first one. */
  | {
      readonly kind: 'act'
      readonly act: EntityAct
      readonly isBack: boolean
      readonly isNext: boolean
    }
  | { readonly kind: 'none' }

export interface TrainRow {
  readonly version: Version
  /** Newer than everything that runs. */
  readonly isNew: boolean
  /** In the order of the environments. */
  readonly cells: readonly Cell[]
}

/** Rows that are shown at first, if nothing older runs. */
const ROWS = 6

/** Versions, newest first, against the environments; those that run are always among them. */
export function trainOf(
  { environments, acts }: Pick<Promotion, 'environments' | 'acts'>,
  versions: readonly Version[],
): { readonly rows: readonly TrainRow[]; readonly shown: number } {
  const all = [...proposedAlone(environments, versions), ...versions]
  const placeOf = (tag: string | null | undefined): number => {
    const at = all.findIndex((version) => version.tag === tag)
    return at === -1 ? all.length : at
  }
  const running = environments.map(({ image }) => placeOf(image?.tag))
  const newest = Math.min(...running)
  const next = environments.map((_, index) =>
    index === 0 ? 0 : (running[index - 1] ?? all.length),
  )
  const rows = all.map((version, row) => ({
    version,
    isNew: row < newest && version.commit !== null,
    cells: environments.map((environment, index): Cell => {
      const { name, image, proposed } = environment
      if (proposed !== null && proposed.image?.tag === version.tag && image?.tag !== version.tag) {
        return { kind: 'review', pullRequest: proposed.pullRequest }
      }
      if (image?.tag === version.tag) return { kind: 'here' }
      const act = acts.find(
        (each) => each.environment === name && each.allowed && BRINGS.has(each.do),
      )
      const at = running[index] ?? all.length
      const isBack = row > at
      return act === undefined
        ? { kind: 'none' }
        : { kind: 'act', act, isBack, isNext: !isBack && row === next[index] }
    }),
  }))
  const oldest = Math.max(...running.filter((at) => at < all.length), -1)
  return { rows, shown: Math.max(ROWS, oldest + 1) }
}

/** The version that waits longest on its way: what the last environment would get of the one before it. */
export function nextRelease(
  { environments, acts }: Pick<Promotion, 'environments' | 'acts'>,
  versions: readonly Version[],
): { readonly act: EntityAct; readonly version: string } | undefined {
  const { rows } = trainOf({ environments, acts }, versions)
  for (let index = environments.length - 1; index >= 0; index -= 1) {
    for (const { version, cells } of rows) {
      const cell = cells[index]
      if (cell?.kind === 'act' && cell.isNext) return { act: cell.act, version: version.tag }
    }
  }
  return undefined
}

/** Acts that bring an image. */
const BRINGS: ReadonlySet<string> = new Set(['promote', 'release', 'update'])

/** Proposed versions that nothing else knows. */
const proposedAlone = (
  environments: readonly Environment[],
  versions: readonly Version[],
): readonly Version[] =>
  [...new Set(environments.flatMap(({ proposed }) => proposed?.image?.tag ?? []))]
    .filter((tag) => versions.every((version) => version.tag !== tag))
    .map(versionAlone)

/** A version of which nothing is known beside its tag. */
export const versionAlone = (tag: string): Version => ({
  tag,
  commit: null,
  subject: null,
  by: null,
  at: null,
  url: null,
  environments: [],
})
