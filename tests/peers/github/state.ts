import type { BareRepository } from '#tests/peers/forge/git/bare-repository.ts'

export interface Account {
  readonly id: number
  readonly login: string
  readonly type: 'User' | 'Organization' | 'Bot'
}

export type Right =
  'administration' | 'contents' | 'issues' | 'members' | 'metadata' | 'pull_requests' | 'workflows'
export type Level = 'read' | 'write' | 'admin'
export type Rights = Readonly<Partial<Record<Right, Level>>>

export const EVERY_RIGHT: Rights = {
  administration: 'write',
  contents: 'write',
  issues: 'write',
  members: 'read',
  metadata: 'read',
  pull_requests: 'write',
  workflows: 'write',
}

export interface Credential {
  readonly kind: 'personal' | 'installation'
  readonly account: Account
  readonly rights: Rights
  /** Full names, or all of them. */
  readonly repositories: 'all' | readonly string[]
  readonly expiresAt: number | null
  /** The organization's answer to this credential instead of its own, such as single sign-on. */
  readonly blockedBy?: 'sso' | 'ip_allow_list'
}

export interface Protection {
  /** `rules`: by a ruleset, whose refusal reads otherwise. */
  readonly by: 'branch protection' | 'rules'
  readonly reasons: readonly string[]
}

export interface Label {
  readonly id: number
  readonly name: string
}

export interface PullRequest {
  readonly id: number
  readonly number: number
  readonly title: string
  readonly body: string | null
  readonly user: Account
  draft: boolean
  readonly createdAt: number
  readonly head: string
  base: string
  headCommit: string
  baseCommit: string
  state: 'open' | 'closed'
  closedAt: number | null
  mergedAt: number | null
  mergeCommit: string | null
  mergedBy: Account | null
  /** The two commits that GitHub has tried to merge, and the outcome. */
  tried: { readonly of: string; readonly mergeable: boolean } | null
  readonly labels: Label[]
  readonly reviewers: Account[]
  readonly reviewingTeams: string[]
  /** In the order of their time. */
  readonly reviews: { readonly by: Account; readonly state: 'APPROVED' | 'CHANGES_REQUESTED' }[]
  /** Whether it is in the merge queue. */
  isQueued: boolean
}

export interface Asset {
  readonly id: number
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly digest: string | null
}

export interface Release {
  readonly id: number
  readonly tag: string
  readonly name: string
  readonly notes: string
  readonly draft: boolean
  readonly prerelease: boolean
  readonly author: Account
  readonly createdAt: number
  readonly publishedAt: number | null
  readonly assets: readonly Asset[]
}

export interface Repository {
  readonly id: number
  readonly owner: Account
  name: string
  description: string | null
  homepage: string | null
  visibility: 'public' | 'private' | 'internal'
  defaultBranch: string
  archived: boolean
  topics: readonly string[]
  readonly createdAt: number
  readonly git: BareRepository
  /** Calls that still find it empty, because its first commit is made in the background. */
  emptyCalls: number
  /** Calls that do not find it yet, because they reach a replica. */
  hiddenCalls: number
  readonly protections: Map<string, Protection>
  /** Approvals that a pull request needs. */
  requiredReviews: number
  /** All checks of a commit together, by its id. */
  readonly statuses: Map<string, 'SUCCESS' | 'FAILURE' | 'PENDING'>
  readonly pulls: Map<number, PullRequest>
  readonly releases: Release[]
  readonly teams: Map<string, string>
}

export interface Installation {
  readonly id: number
  readonly appId: number
  readonly clientId?: string
  /** PEM, PKIX. */
  readonly publicKey: string
  readonly account: Account
  readonly rights: Rights
  readonly repositories: 'all' | readonly string[]
  suspended: boolean
}

/** Everything that this GitHub knows. */
export interface State {
  readonly accounts: Map<string, Account>
  /** By full name in lower case. */
  readonly repositories: Map<string, Repository>
  /** Full names in lower case that a repository had before. */
  readonly formerNames: Map<string, Repository>
  readonly credentials: Map<string, Credential>
  readonly installations: Map<number, Installation>
  /** Organization/slug. */
  readonly teams: Set<string>
  nextId(): number
  now(): number
}

export const fullName = ({ owner, name }: Pick<Repository, 'owner' | 'name'>) =>
  `${owner.login}/${name}`

export function createState(now: () => number): State {
  let id = 1_000
  return {
    accounts: new Map(),
    repositories: new Map(),
    formerNames: new Map(),
    credentials: new Map(),
    installations: new Map(),
    teams: new Set(),
    nextId: () => (id += 1),
    now,
  }
}
