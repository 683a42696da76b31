import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../names.ts'
import { parseJson } from '../../text/json.ts'

/** Name of the event in the headers of GitHub, Gitea, Forgejo and Gogs. */
const PUSH = 'push'

/** The members of a push event that all of these hosts send. */
const Push = Type.Object({
  /** `refs/heads/main`, `refs/tags/v1`. */
  ref: Type.String(),
  repository: Type.Object({ full_name: Type.String(), default_branch: Type.String() }),
})

const check = Compile(Push)

/** A call of the webhook by a git host. */
export interface Delivery {
  /** Names of the event, one per header; empty for a sender that names none. */
  readonly events: readonly string[]
  /** The JSON text of the event; `undefined` when it is too large or missing. */
  readonly payload: string | undefined
}

/**
 * Whether the catalog in this repository may have changed. Other events than a push, and pushes to other repositories or to other
 * branches than the default one, cannot change it; a delivery that cannot be read may have.
 */
export function mayChangeCatalog(
  { events, payload }: Delivery,
  { owner, name }: RepositoryId,
): boolean {
  if (events.length === 0) return true
  if (!events.includes(PUSH)) return false
  const event = payload === undefined ? undefined : parseJson(payload)
  if (!check.Check(event)) return true
  return isOf(event, `${owner}/${name}`) && isOfDefaultBranch(event)
}

type Push = Static<typeof Push>

/** The hosts compare names without regard to case. */
const isOf = ({ repository }: Push, fullName: string): boolean =>
  repository.full_name.toLowerCase() === fullName.toLowerCase()

const isOfDefaultBranch = ({ ref, repository }: Push): boolean =>
  ref === `refs/heads/${repository.default_branch}`
