import type { RepositoryId } from '../../names.ts'
import { parseJson } from '../../text/json.ts'
import { valueAt } from '../../yaml/value-at.ts'

/** Names of the events in the headers of GitHub, Gitea, Forgejo and Gogs, and of GitLab. */
const PUSH = ['push', 'Push Hook']
const PULL_REQUEST = ['pull_request', 'Merge Request Hook']

interface Told {
  readonly fullName: string
  /** The pushed branch is the default one. `null`: not said. */
  readonly isOfDefaultBranch: boolean | null
}

function textAt(event: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(event, path)
  return typeof value === 'string' ? value : undefined
}

/** The members that all of these hosts send; GitLab's name is `project`. `null`: another shape. */
function read(event: unknown): Told | null {
  const ofGitlab = textAt(event, 'project', 'path_with_namespace')
  const fullName = ofGitlab ?? textAt(event, 'repository', 'full_name')
  if (fullName === undefined) return null
  // `refs/heads/main`, `refs/tags/v1`.
  const ref = textAt(event, 'ref')
  const member = ofGitlab === undefined ? 'repository' : 'project'
  const defaultBranch = textAt(event, member, 'default_branch')
  const isPush = ref !== undefined && defaultBranch !== undefined
  return { fullName, isOfDefaultBranch: isPush ? ref === `refs/heads/${defaultBranch}` : null }
}

/** A call of the webhook by a git host. */
export interface Delivery {
  /** Names of the event, one per header; empty for a sender that names none. */
  readonly events: readonly string[]
  /** The JSON text of the event; `undefined` when it is too large or missing. */
  readonly payload: string | undefined
}

/** The part of the gitops repository that a delivery tells about: the default branch, or the pull requests. */
export type ChangedPart = 'files' | 'pulls'

/**
 * The part of this repository that may have changed. `null` for other events, other repositories, and pushes to other branches than the
 * default one. A delivery that cannot be read may be about this repository.
 */
export function changedPart(
  { events, payload }: Delivery,
  { owner, name }: RepositoryId,
): ChangedPart | null {
  if (events.length === 0) return 'files'
  const event = payload === undefined ? undefined : parseJson(payload)
  const told = read(event)
  // The hosts compare names without regard to case.
  const isOurs = told?.fullName.toLowerCase() === `${owner}/${name}`.toLowerCase()
  if (PUSH.some((push) => events.includes(push))) {
    const isOfDefaultBranch = told?.isOfDefaultBranch ?? null
    return isOfDefaultBranch === null || (isOurs && isOfDefaultBranch) ? 'files' : null
  }
  // A pull request may have led into the default branch before it was edited, so that its branches say nothing.
  if (!PULL_REQUEST.some((request) => events.includes(request))) return null
  return told === null || isOurs ? 'pulls' : null
}
