import type { BranchName, RepositoryId } from '../../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { appPath } from '../../gitops/layout.ts'
import { lastLineOf } from '../../gitops/trailer.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import type { AppRow } from './app-row.ts'
import { type ProposedMove, proposedMoveOf } from '../pulls.ts'

/** Merged pull requests among which those of unconfirmed promotions are looked for. */
const MERGED_MAX = 300

/** A merged overlay that waits for its confirmation. */
export interface Unconfirmed {
  readonly row: AppRow
  readonly stage: Stage
  /** `null`: the overlay came past the portal, or too long ago. */
  readonly pull: PullRequest | null
}

interface UnconfirmedSource {
  readonly gitHost: Pick<GitHost, 'findPullRequests'>
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
}

/**
 * The overlays on the default branch whose lifecycle has not followed, except those whose lifecycle an open pull request changes. One
 * listing finds the pull requests of all that were not known before.
 */
export async function findUnconfirmed(
  { gitHost, repository, pipeline }: UnconfirmedSource,
  base: BranchName,
  rows: readonly AppRow[],
  proposed: readonly ProposedMove[],
  before: readonly Unconfirmed[],
): Promise<Result<readonly Unconfirmed[], GitFailure>> {
  const changing = new Set(
    proposed.flatMap(({ act, team, app, stage }) =>
      act === 'lifecycle' ? [placeOf({ team, app }, stage)] : [],
    ),
  )
  const waiting = rows.flatMap((row) => {
    const stage = pipeline.stageAfter(row.lifecycle)
    if (stage === undefined || row.states.get(stage) !== 'ready_to_confirm') return []
    return changing.has(placeOf(row, stage)) ? [] : [{ row, stage }]
  })
  const known = new Map(before.map((each) => [each.row, each]))
  const isNew = waiting.some(({ row }) => !known.has(row))
  const merged = isNew
    ? await gitHost.findPullRequests(repository, { base, state: 'merged', limit: MERGED_MAX })
    : ok([])
  if (!merged.ok) return merged
  const promotions = new Map<string, PullRequest>()
  // Newest first, of which the newest counts.
  for (const pull of merged.value.toReversed()) {
    const found = proposedMoveOf(pull, pipeline)
    if (found?.act !== 'promote') continue
    promotions.set(placeOf(found, found.stage), { ...pull, body: lastLineOf(pull.body) })
  }
  return ok(
    waiting.map(
      ({ row, stage }) =>
        known.get(row) ?? { row, stage, pull: promotions.get(placeOf(row, stage)) ?? null },
    ),
  )
}

const placeOf = ({ team, app }: Pick<ProposedMove, 'team' | 'app'>, stage: Stage | null): string =>
  `${appPath(team, app)} ${stage?.environment}`
