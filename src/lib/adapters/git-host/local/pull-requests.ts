import type { RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { rangeOf, readChangedFiles, readDiff } from './diff.ts'
import type { ForgeFailure, LocalGitHost } from './forge.ts'
import { createHistory } from './history.ts'
import type { Maintenance } from './maintenance.ts'
import { closePull, findPull, mergePull } from './merge.ts'
import { createPullReader, type Snapshot } from './pull-refs.ts'
import { openPull, present, select } from './pulls.ts'
import type { InTurn } from '../../../concurrency/queue.ts'
import type { RefChange } from './refs.ts'
import { settlePulls, type Settled } from './settle.ts'

interface Needs {
  readonly locate: (repository: RepositoryId) => Promise<Result<string, GitFailure>>
  readonly inTurn: InTurn
  readonly report: (repository: RepositoryId, changes: readonly RefChange[]) => void
  readonly maintenance: Pick<Maintenance, 'afterListing'>
  readonly clock: Clock
  readonly urlOf: (repository: RepositoryId, number: number) => string
}

type PullRequests = Pick<GitHost, 'findPullRequests' | 'openPullRequest'> &
  Pick<LocalGitHost, 'mergePullRequest' | 'closePullRequest' | 'diff' | 'changedFiles'> & {
    /** Brings the pull requests in line with the branches, and tells of what that changed. */
    readonly settle: (
      repository: RepositoryId,
      directory: string,
    ) => Promise<Result<Settled, GitFailure>>
  }

export function createPullRequests({
  locate,
  inTurn,
  report,
  maintenance,
  clock,
  urlOf,
}: Needs): PullRequests {
  const history = createHistory()
  const readPulls = createPullReader()

  async function settle(repository: RepositoryId, directory: string) {
    const settled = await settlePulls(directory, readPulls, history, () => clock.now())
    if (!settled.ok) return settled
    report(repository, settled.value.changes)
    maintenance.afterListing(directory, settled.value.refs)
    return settled
  }

  async function showOne(
    repository: RepositoryId,
    directory: string,
    snapshot: Snapshot,
    number: number,
  ): Promise<Result<PullRequest, ForgeFailure>> {
    const pull = findPull(snapshot, number)
    if (!pull.ok) return pull
    const url = (number: number) => urlOf(repository, number)
    const shown = await present(directory, snapshot, [pull.value], history, url)
    if (!shown.ok) return shown
    const [pullRequest] = shown.value
    return pullRequest ? ok(pullRequest) : err({ kind: 'forge_pull_request_not_found', number })
  }

  /** A change to a pull request: in turn, told, and answered with how it stands afterwards. */
  async function change(
    repository: RepositoryId,
    number: number,
    act: (directory: string) => Promise<Result<readonly RefChange[], ForgeFailure>>,
  ): Promise<Result<PullRequest, ForgeFailure>> {
    const located = await locate(repository)
    if (!located.ok) return located
    const directory = located.value
    return inTurn(directory, async () => {
      const changed = await act(directory)
      if (!changed.ok) return changed
      report(repository, changed.value)
      const settled = await settle(repository, directory)
      return settled.ok ? showOne(repository, directory, settled.value, number) : settled
    })
  }

  async function locateRange(repository: RepositoryId, number: number) {
    const located = await locate(repository)
    if (!located.ok) return located
    const settled = await settle(repository, located.value)
    if (!settled.ok) return settled
    const pull = findPull(settled.value, number)
    if (!pull.ok) return pull
    return ok({ directory: located.value, range: rangeOf(settled.value, pull.value) })
  }

  return {
    settle,

    async findPullRequests(repository, filter) {
      const located = await locate(repository)
      if (!located.ok) return located
      const settled = await settle(repository, located.value)
      if (!settled.ok) return settled
      const pulls = select(settled.value, filter)
      const url = (number: number) => urlOf(repository, number)
      return present(located.value, settled.value, pulls, history, url)
    },

    async openPullRequest(repository, request) {
      const located = await locate(repository)
      if (!located.ok) return located
      const directory = located.value
      return inTurn(directory, async () => {
        const settleAgain = () => settle(repository, directory)
        const opened = await openPull(directory, request, settleAgain, history, clock.now())
        if (!opened.ok) return opened
        const { pull, created, snapshot, changes } = opened.value
        report(repository, changes)
        const url = (number: number) => urlOf(repository, number)
        const shown = await present(directory, snapshot, [pull], history, url)
        if (!shown.ok) return shown
        const [pullRequest] = shown.value
        if (pullRequest === undefined) throw new Error('one in, one out')
        return ok({ pullRequest, created })
      })
    },

    mergePullRequest: (repository, number, request) =>
      change(repository, number, (directory) => {
        const settleAgain = () => settle(repository, directory)
        return mergePull(directory, number, request, settleAgain, history, clock.now())
      }),

    closePullRequest: (repository, number, by) =>
      change(repository, number, (directory) =>
        closePull(directory, number, by, () => settle(repository, directory), clock.now()),
      ),

    async diff(repository, number) {
      const pull = await locateRange(repository, number)
      return pull.ok ? readDiff(pull.value.directory, pull.value.range) : pull
    },

    async changedFiles(repository, number) {
      const pull = await locateRange(repository, number)
      return pull.ok ? readChangedFiles(pull.value.directory, pull.value.range) : pull
    },
  }
}
