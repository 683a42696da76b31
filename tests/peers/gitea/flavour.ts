/** What differs between the servers that speak this API. */
export interface Flavour {
  /** `GET /repos/{owner}/{repo}/pulls` filters by `base_branch`. */
  readonly filtersByBase: boolean
  /** Prefix of its own headers. */
  readonly headerPrefix: string
  /** Members of a pull request that came later. */
  readonly laterMembers: boolean
}

export const GITEA_1_26: Flavour = {
  filtersByBase: true,
  headerPrefix: 'X-Gitea',
  laterMembers: true,
}

export const FORGEJO_11: Flavour = {
  filtersByBase: false,
  headerPrefix: 'X-Forgejo',
  laterMembers: false,
}
