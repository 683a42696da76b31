import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../names.ts'
import { parseJson } from '../../text/json.ts'

/** Names of the events in the headers of GitHub, Gitea, Forgejo and Gogs. */
const PUSH = 'push'
const PULL_REQUEST = 'pull_request'

const Repository = Type.Object({ full_name: Type.String() })

/** The members of a push event that all of these hosts send. */
const Push = Type.Object({
  /** `refs/heads/main`, `refs/tags/v1`. */
  ref: Type.String(),
  repository: Type.Interface([Repository], { default_branch: Type.String() }),
})

/** A pull request may have led into the default branch before it was edited, so that its branches say nothing. */
const PullRequest = Type.Object({ repository: Repository })

const checkPush = Compile(Push)
const checkPullRequest = Compile(PullRequest)

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
  const isOurs = ({ full_name }: Static<typeof Repository>): boolean =>
    // The hosts compare names without regard to case.
    full_name.toLowerCase() === `${owner}/${name}`.toLowerCase()
  if (events.includes(PUSH)) {
    const isUnread = !checkPush.Check(event)
    return isUnread || (isOurs(event.repository) && isOfDefaultBranch(event)) ? 'files' : null
  }
  if (!events.includes(PULL_REQUEST)) return null
  const isUnread = !checkPullRequest.Check(event)
  return isUnread || isOurs(event.repository) ? 'pulls' : null
}

const isOfDefaultBranch = ({ ref, repository }: Static<typeof Push>): boolean =>
  ref === `refs/heads/${repository.default_branch}`
