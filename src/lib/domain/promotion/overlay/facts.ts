import { type EnvironmentName, RepositoryPath } from '../../../names.ts'
import { allOk, err, ok, type Result } from '../../../result.ts'
import { compositeName, sameNamed } from '../../gitops/application.ts'
import { findBlocking } from '../../gitops/branches.ts'
import {
  type Base,
  type Image,
  OVERLAY_BYTES_MAX,
  OVERLAY_FILES,
  type OverlayConfig,
} from '../../gitops/overlay.ts'
import type { DepsOfActor, PromotionDeps } from '../dependencies.ts'
import type { Admission } from '../exclusive-request.ts'
import type { MoveFailure } from '../failure.ts'
import { branchNameOf, type Move } from '../move.ts'
import type { Stage } from '../pipeline.ts'
import { type MoveBranch, type MoveFiles, readMoveBranch } from '../proposal.ts'
import type { CheckedSecrets, SecretsRequest } from '../secrets.ts'
import type { OverlayClaims } from '../overview/apps-reader.ts'
import type { Promotable } from '../subject.ts'
import { currentTexts, folderOf, folderTexts, type Texts } from '../texts.ts'
import { overlayIn, type OverlayValues } from './manifests.ts'
import { mergedText } from './merged-lines.ts'

export interface ImageChoice {
  readonly image: Image | null
  /** Environment that the image was taken from. */
  readonly from: EnvironmentName | null
}

export interface OverlaySpec {
  readonly move: Move
  readonly promotable: Promotable
  readonly base: Base
  readonly stage: Stage
  readonly namespace: string | null
  readonly config: OverlayConfig
  /** From the request. Without one an existing overlay keeps its own. */
  readonly requested: ImageChoice | null
  /** Image of the previous environment, for an overlay that is new. */
  readonly carried: ImageChoice | null
  /** The name that the overlay gives to the image of the base or, if it is new, the one of the previous environment. */
  readonly newName: string | null
  readonly secrets: SecretsRequest | null
  /** A release changes the overlay that is on the default branch. */
  readonly kind: 'promotion' | 'release'
  /** Folder of the overlay, and its files that people edit. */
  readonly folder: RepositoryPath
  readonly kustomization: RepositoryPath
  readonly patch: RepositoryPath
}

/** The files that a move may write: a release only those that people edit. */
export function overlayPaths({ kind, base, folder, kustomization, patch }: OverlaySpec) {
  if (base.kind === null) return [kustomization]
  if (kind === 'release') return [kustomization, patch]
  return writtenIn(folder)
}

/** An open release on the default branch as it is now. */
interface MergedRelease {
  /** The files as a merge leaves them. */
  readonly texts: Texts
  /** Git cannot merge it, although it changes lines of its own only: its next commit takes the place of its branch. */
  readonly isConflicting: boolean
  /** Its branch has nothing but commits of Portico, and they change nothing but files of the release. */
  readonly isOwn: boolean
}

/** Everything that the checks of a request need, read at the commit of the decision. */
export interface OverlayFacts extends MoveBranch {
  /** The overlay that a release changes; empty for a promotion. */
  readonly onMain: Texts
  /** `null` without an open release. */
  readonly merged: MergedRelease | null
  /** The overlay that the request edits: with what its open pull request proposes. */
  readonly texts: Texts
  /** The values of these texts. */
  readonly there: OverlayValues
  readonly claims: OverlayClaims
  readonly secrets: CheckedSecrets | null
}

export async function readOverlayFacts(
  deps: DepsOfActor,
  { subject, promotable: { team, app, pulls } }: Admission,
  spec: OverlaySpec,
): Promise<Result<OverlayFacts, MoveFailure>> {
  const { gitHost, repository } = deps
  const { commit } = subject
  const { move, kind, config, base, folder, secrets } = spec
  const { environment } = spec.stage
  const paths = overlayPaths(spec)
  const files = { move, base: subject, paths, maxBytes: OVERLAY_BYTES_MAX }
  const isRelease = kind === 'release'
  const mayClaim =
    config.ingress?.host !== undefined ||
    config.database !== undefined ||
    (base.database && !isRelease)

  /** Refuses an overlay whose objects have the name of another application's. Asks for nothing unless the name has several readings. */
  async function checkName(): Promise<Result<void, MoveFailure>> {
    const environments = deps.pipeline.stages.map((stage) => stage.environment)
    for (const other of sameNamed({ team, app, environment }, environments)) {
      const read = await deps.applications.read(commit, other)
      if (!read.ok) return read
      const stages = [...read.value.overlays.keys()]
      if (stages.some((stage) => stage.environment === other.environment)) {
        const name = `${compositeName(team, app)}-${environment}`
        return err({ kind: 'name_taken', name, claimedBy: `${other.team}/${other.app}` })
      }
    }
    return ok(undefined)
  }

  const read = await allOk([
    // Objects of a plain base have names of their own.
    base.kind === null ? ok(undefined) : checkName(),
    mayClaim ? deps.apps.claims(commit) : ok({ claims: [], cut: [] }),
    isRelease
      ? folderTexts(deps, { commit }, [...paths, ...writtenIn(folder)], OVERLAY_BYTES_MAX)
      : ok(new Map<RepositoryPath, string>()),
    readMoveBranch(deps, files, pulls),
    secrets === null ? ok(null) : deps.secrets.check(secrets),
  ])
  if (!read.ok) return read
  const [, claims, onMain, branch, checked] = read.value
  const merged = isRelease ? await readMerged(deps, files, branch, onMain) : ok(null)
  if (!merged.ok) return merged
  if (secrets !== null && branch.pull === null) {
    // Secrets are written before the branch.
    const name = branchNameOf(move)
    const by = await findBlocking(gitHost, repository, name)
    if (!by.ok) return by
    if (by.value !== undefined)
      return err({ kind: 'git_branch_blocked', branch: name, by: by.value })
  }
  const texts = new Map([...onMain, ...(merged.value?.texts ?? branch.current)])
  const there = overlayIn(base, texts.get(spec.kustomization), texts.get(spec.patch))
  return ok({
    ...branch,
    onMain,
    merged: merged.value,
    texts,
    there,
    claims,
    secrets: checked,
  })
}

/**
 * An open release as git merges it into the default branch. Git has a conflict of neighbouring lines too, which in an overlay are
 * settings of their own: those are merged line by line. `onMain`: texts on the default branch.
 */
async function readMerged(
  deps: PromotionDeps,
  { base, paths, maxBytes }: MoveFiles,
  { pull, open, current }: MoveBranch,
  onMain: Texts,
): Promise<Result<MergedRelease | null, MoveFailure>> {
  if (pull === null || open === null) return ok(null)
  const { head, beginning, merge: known } = open
  const { gitHost, repository } = deps
  const read = await allOk([
    known === null ? gitHost.merge(repository, { ours: base.commit, theirs: head }) : ok(known),
    beginning === null ? ok(null) : gitHost.listChanges(repository, { from: beginning, to: head }),
  ])
  if (!read.ok) return read
  const [merge, changes] = read.value
  // Anybody can add files to a commit that keeps its message.
  const own = new Set<string>(paths)
  const isOwn = changes?.every(({ rawPath }) => own.has(rawPath)) === true
  if (merge.kind === 'clean') {
    const { commit } = base
    const texts = await currentTexts(deps, { commit, tree: merge.tree }, paths, maxBytes)
    return texts.ok ? ok({ texts: texts.value, isConflicting: false, isOwn }) : texts
  }
  const outdated = (path: RepositoryPath) =>
    err({ kind: 'pr_outdated', pullRequest: pull.number, path } as const)
  if (beginning === null || !isOwn) {
    return outdated(paths.find((path) => merge.paths.includes(path)) ?? folderOf(paths))
  }
  const began = await currentTexts(deps, { commit: beginning }, paths, maxBytes)
  if (!began.ok) return began
  const texts = new Map<RepositoryPath, string>()
  for (const path of paths) {
    const [before, proposed, now] = [began.value, current, onMain].map((each) => each.get(path))
    const text = mergedText({ before, proposed, now })
    if (text === undefined && proposed !== before) return outdated(path)
    if (text !== undefined) texts.set(path, text)
  }
  return ok({ texts, isConflicting: true, isOwn })
}

/** The files that a promotion wrote: they matter in a folder of many. */
const writtenIn = (folder: RepositoryPath): readonly RepositoryPath[] =>
  OVERLAY_FILES.map((name) => RepositoryPath.of(`${folder}/${name}`))
