import { type RepositoryId, RepositoryPath } from '../../../names.ts'
import type { GitFailure, GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { OVERLAY_BYTES_MAX, OVERLAY_FILES } from '../../gitops/overlay.ts'
import type { Applications } from '../application.ts'
import type { Admission } from '../gate.ts'
import { NO_CLAIMS, type OverlayClaims } from './claims.ts'
import { mergeRelease, type MergedRelease, type PullRequestOutdated } from './merged-release.ts'
import type { OverlayRequest } from './request.ts'
import type { AppsReader } from '../overview/apps-reader.ts'
import type { Pipeline } from '../pipeline.ts'
import { type MoveQuery, type MoveStanding, readMoveStanding } from '../propose.ts'
import { findRival, type RivalFailure } from '../rival.ts'
import type { CheckedSecrets, Secrets, SecretsFailure } from '../secrets.ts'
import { folderTexts, type Texts } from '../texts.ts'

export interface OverlayFactsSource {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
  readonly apps: Pick<AppsReader, 'claims'>
  readonly applications: Applications
  readonly secrets: Pick<Secrets, 'check'>
}

export type OverlayFactsFailure = RivalFailure | SecretsFailure | PullRequestOutdated | GitFailure

/** Everything that the checks of a request need, read at the commit of the decision. */
export interface OverlayFacts extends MoveStanding {
  /** The overlay that a release changes. */
  readonly onMain: Texts
  /** `null` without an open release. */
  readonly merged: MergedRelease | null
  readonly claims: OverlayClaims
  readonly secrets: CheckedSecrets | null
}

export async function readOverlayFacts(
  options: OverlayFactsSource,
  { subject: { commit }, promotable }: Admission,
  { spec, secrets }: OverlayRequest,
  query: MoveQuery,
  isRelease: boolean,
): Promise<Result<OverlayFacts, OverlayFactsFailure>> {
  const { gitHost, repository } = options
  const { stage, config, base } = spec
  const mayClaim =
    config.ingress?.host !== undefined ||
    config.database !== undefined ||
    (base.database && !isRelease)
  const [rival, claims, onMain, found, checked] = await Promise.all([
    // Objects of a plain base have names of their own.
    base.kind === null ? ok(undefined) : findRival(options, commit, promotable, stage),
    mayClaim ? options.apps.claims(commit) : ok(NO_CLAIMS),
    isRelease
      ? folderTexts(gitHost, repository, commit, filesOf(query), OVERLAY_BYTES_MAX)
      : ok(new Map<RepositoryPath, string>()),
    readMoveStanding(gitHost, query, promotable.pulls),
    secrets === null ? ok(null) : options.secrets.check(secrets),
  ])
  if (!rival.ok) return rival
  if (!claims.ok) return claims
  if (!onMain.ok) return onMain
  if (!found.ok) return found
  if (!checked.ok) return checked
  const { standing } = found.value
  const merged =
    isRelease && standing.kind === 'open'
      ? await mergeRelease(gitHost, query, found.value, standing.pull, onMain.value)
      : ok(null)
  if (!merged.ok) return merged
  return ok({
    ...found.value,
    onMain: onMain.value,
    merged: merged.value,
    claims: claims.value,
    secrets: checked.value,
  })
}

/** The files that a release may write and those that a promotion wrote: the ones that matter in a folder of many. */
function filesOf({ paths }: MoveQuery): readonly RepositoryPath[] {
  const folder = paths[0]?.replace(/[^/]+$/, '') ?? ''
  return [...paths, ...OVERLAY_FILES.map((name) => RepositoryPath.of(`${folder}${name}`))]
}
