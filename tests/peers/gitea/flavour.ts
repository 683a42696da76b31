/** What differs between the servers that speak this API. */
export interface Flavour {
  readonly version: string
  /** The archive takes `path` as a filter; older servers ignore it. */
  readonly filtersArchive: boolean
  /** `PUT /repos/{owner}/{repo}/branches/{branch}` moves a branch. */
  readonly movesBranches: boolean
  /** `GET /repos/{owner}/{repo}/pulls` filters by `base_branch`. */
  readonly filtersByBase: boolean
  /** Prefix of its own headers. */
  readonly headerPrefix: string
  /** Members of a pull request that came later. */
  readonly laterMembers: boolean
}

export const GITEA_1_26: Flavour = {
  version: '1.26.0',
  filtersArchive: true,
  movesBranches: true,
  filtersByBase: true,
  headerPrefix: 'X-Gitea',
  laterMembers: true,
}

export const FORGEJO_11: Flavour = {
  version: '11.0.6+gitea-1.22.0',
  filtersArchive: false,
  movesBranches: false,
  filtersByBase: false,
  headerPrefix: 'X-Forgejo',
  laterMembers: false,
}
