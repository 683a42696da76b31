/** What differs between the servers that speak this API. */
export interface Flavour {
  /** `GET /repos/{owner}/{repo}/pulls` filters by `base_branch`. */
  readonly filtersByBase: boolean
}

export const GITEA_1_26: Flavour = { filtersByBase: true }

export const FORGEJO_11: Flavour = { filtersByBase: false }
