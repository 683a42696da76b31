import type { Links } from '../links.ts'
import { fullName, type Repository } from '../state.ts'

/** Where the objects and references of a repository are. */
export const gitUrlOf = (links: Links, repository: Repository) =>
  `${links.api}/repos/${fullName(repository)}/git`
