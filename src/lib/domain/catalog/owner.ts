import { TeamName } from '../../names.ts'

export interface TeamOwner {
  /** Owner of the gitops repository: a group within another one has slashes. */
  readonly organisation: string
  readonly team: TeamName
}

const OWNER = /^group:(.+)\/([^/]+)$/

/** The team of `spec.owner`; `undefined` for an owner that is none. */
export function teamOwner(owner: string): TeamOwner | undefined {
  const [, organisation, name] = OWNER.exec(owner) ?? []
  const team = TeamName.parse(name)
  return organisation === undefined || team === undefined ? undefined : { organisation, team }
}
