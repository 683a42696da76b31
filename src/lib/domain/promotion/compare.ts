import { type EnvironmentName, secretPath } from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { type SecretStore, SERVICE } from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'
import { ownTeams, type Principal } from '../access/principal.ts'
import type { ExistingOverlay } from './application.ts'
import { type InvalidQuery, unknownEnvironment } from './history/history.ts'
import type { PromotionDeps } from './dependencies.ts'
import { settingsOf } from './overlay/edit.ts'
import { textOf } from './quantity.ts'
import type { SourceCommit, Versions, VersionsAt } from './versions.ts'

export interface Comparison {
  readonly differences: readonly Difference[]
  /** Keys of the secrets of `from` that `to` lacks. `null`: the caller may not know them, or the store does not tell. */
  readonly secrets: { readonly missing: readonly string[] } | null
  /** Commits that `to` would get, newest first; `null` where the repository does not have both versions. */
  readonly commits: readonly SourceCommit[] | null
  /** There are more commits. */
  readonly truncated: boolean
}

/** Commits of a comparison. */
const COMMITS_MAX = 50

export interface Compared {
  readonly from: EnvironmentName
  readonly to: EnvironmentName
  readonly principal: Principal
}

/** Two environments of an application, as git has them. */
export async function compare(
  { pipeline, platformGroup }: PromotionDeps,
  secretStore: Pick<SecretStore, 'knowsPersons' | 'describe'>,
  versions: Versions,
  at: VersionsAt,
  { from, to, principal }: Compared,
): Promise<Result<Comparison, GitFailure | InvalidQuery>> {
  const { team, app, application, entity } = at
  const [source, target] = [pipeline.stageIn(from), pipeline.stageIn(to)]
  if (source === undefined) return err(unknownEnvironment(pipeline, '/query/from'))
  if (target === undefined) return err(unknownEnvironment(pipeline, '/query/to'))
  const [one, other] = [source, target].map((stage) => application.overlays.get(stage))
  const [settings, others] = [shownOf(one), shownOf(other)]
  const fields = [...new Set([...settings.keys(), ...others.keys()])]
  const differences = fields
    .map((field) => ({ field, from: settings.get(field) ?? null, to: others.get(field) ?? null }))
    .filter((difference) => difference.from !== difference.to)

  async function keysOf(environment: EnvironmentName): Promise<readonly string[] | null> {
    const entry = await secretStore.describe(secretPath(team, app, environment), SERVICE)
    if (!entry.ok) return null
    return entry.value.kind === 'present' ? entry.value.keys : []
  }
  async function missingSecrets(): Promise<Comparison['secrets']> {
    const own = ownTeams(principal, platformGroup)
    const isOwn = own.includes(team) || own.includes(platformGroup)
    // A store with a policy for persons is not asked with the rights of the service.
    if (!isOwn || secretStore.knowsPersons) return null
    const [have, need] = await Promise.all([keysOf(to), keysOf(from)])
    return have && need && { missing: need.filter((key) => !have.includes(key)) }
  }
  const of = one?.image?.tag ?? null
  const without = other?.image?.tag ?? null
  const isKnown = of !== null && without !== null
  const [secrets, commits] = await Promise.all([
    missingSecrets(),
    isKnown ? versions.commitsBetween(entity, of, without, COMMITS_MAX + 1) : ok(null),
  ])
  if (!commits.ok) return commits
  return ok({
    differences,
    secrets,
    commits: commits.value && commits.value.slice(0, COMMITS_MAX),
    truncated: (commits.value?.length ?? 0) > COMMITS_MAX,
  })
}

/** A setting that two environments have differently. `null`: the overlay leaves it to the base. */
interface Difference {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

/** By the names that `overlayConfig` has for them. */
function shownOf(overlay: ExistingOverlay | undefined): ReadonlyMap<string, string> {
  const { tag = null, digest = null } = overlay?.image ?? {}
  const image = tag ?? digest
  const settings = new Map(image === null ? [] : [['image', image]])
  for (const [path, value] of settingsOf(overlay?.config ?? {}, { database: true })) {
    const text = textOf(value)
    if (text !== '') settings.set(path.join('.'), text)
  }
  return settings
}
