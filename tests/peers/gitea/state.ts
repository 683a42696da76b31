import { join } from 'node:path'
import { BareRepository } from '#tests/peers/forge/git/bare-repository.ts'
import type { Flavour } from './flavour.ts'
import { PRE_RECEIVE } from './hook.ts'

export interface Account {
  readonly id: number
  readonly login: string
  readonly kind: 'person' | 'organization'
}

/** What a token may do, in every repository. */
export type Rights = 'admin' | 'write' | 'read' | 'none'

export interface Token {
  readonly account: Account
  readonly rights: Rights
  readonly scope: 'all' | 'read:repository'
}

export interface Team {
  readonly id: number
  readonly name: string
  readonly organization: Account
}

export interface Label {
  readonly id: number
  readonly name: string
  readonly color: string
}

export interface Asset {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly bytes: Uint8Array
}

export interface Release {
  readonly id: number
  readonly tag: string
  readonly name: string
  readonly body: string
  readonly draft: boolean
  readonly prerelease: boolean
  readonly createdAt: number
  readonly assets: Asset[]
}

export interface Review {
  readonly by: Account
  readonly state: 'APPROVED' | 'REQUEST_CHANGES' | 'COMMENT'
  /** Whether an approval of this person counts. */
  readonly official: boolean
  readonly dismissed?: boolean
}

export interface Pull {
  readonly number: number
  readonly author: Account
  title: string
  body: string
  readonly head: string
  base: string
  /** Where the head was last. */
  headCommit: string
  /** Where they parted when it was last seen open. */
  mergeBase: string
  readonly labels: Set<Label>
  readonly reviewers: (Account | Team)[]
  /** In the order of their time. */
  readonly reviews: Review[]
  /** Other than its title says; `null`: an old server does not say. */
  draft?: boolean | null
  readonly createdAt: number
  closedAt: number | null
  merged: { readonly commit: string; readonly at: number; readonly by: Account } | null
  /** Requests until the check of conflicts is done; meanwhile it counts as not mergeable. */
  checks: number
}

export interface Repository {
  readonly id: number
  readonly owner: Account
  name: string
  description: string
  website: string
  isPrivate: boolean
  isArchived: boolean
  defaultBranch: string
  topics: readonly string[]
  readonly createdAt: number
  readonly git: BareRepository
  readonly pulls: Pull[]
  readonly labels: Label[]
  readonly releases: Release[]
  readonly teams: Set<Team>
  /** Names of protected branches. */
  readonly protections: Set<string>
  /** Approvals that a pull request into the default branch needs. */
  requiredApprovals: number
  /** Status of commits by their ids. */
  readonly statuses: Map<string, 'success' | 'failure' | 'error' | 'pending' | 'warning'>
  /** Requests until Gitea's queue has noticed the first push; `null` before that push. */
  unnoticed: number | null
}

/** Everything that the server knows, besides git's objects. */
export class State {
  readonly accounts: Account[] = []
  readonly tokens = new Map<string, Token>()
  readonly teams: Team[] = []
  readonly repositories: Repository[] = []
  /** Former names of renamed repositories. */
  readonly redirects = new Map<string, Repository>()
  readonly folder: string
  readonly flavour: Flavour
  url = ''
  /** Requests until the queue of pushes has noticed the first push into a repository. */
  queueLag = 0
  /** Requests until a pull request is checked for conflicts, after it was opened or its base moved. */
  checkLag = 0
  #ids = 0

  constructor(folder: string, flavour: Flavour) {
    this.folder = folder
    this.flavour = flavour
  }

  nextId(): number {
    this.#ids += 1
    return this.#ids
  }

  addAccount(login: string, kind: Account['kind']): Account {
    const account = { id: this.nextId(), login, kind }
    this.accounts.push(account)
    return account
  }

  account(login: string): Account | undefined {
    return this.accounts.find((each) => same(each.login, login))
  }

  repository(owner: string, name: string): Repository | undefined {
    return this.repositories.find((each) => same(each.owner.login, owner) && same(each.name, name))
  }

  async addRepository(
    owner: Account,
    facts: Pick<Repository, 'name' | 'description' | 'isPrivate' | 'defaultBranch'>,
  ): Promise<Repository> {
    const id = this.nextId()
    const repository: Repository = {
      ...facts,
      id,
      owner,
      website: '',
      isArchived: false,
      topics: [],
      createdAt: Date.now(),
      git: await BareRepository.create(join(this.folder, `${id}.git`), facts.defaultBranch),
      pulls: [],
      labels: [],
      releases: [],
      teams: new Set(),
      protections: new Set(),
      requiredApprovals: 0,
      statuses: new Map(),
      unnoticed: null,
    }
    // Made while the folder was: the first one stays.
    if (this.repository(owner.login, facts.name) !== undefined) throw new NameTaken()
    this.repositories.push(repository)
    await repository.git.installHook('pre-receive', PRE_RECEIVE)
    return repository
  }

  /** Gitea's database lags behind git: it takes the repository for empty although it is not. */
  isEmpty({ unnoticed }: Repository): boolean {
    return unnoticed === null || unnoticed > 0
  }
}

export class NameTaken extends Error {}

export const fullName = ({ owner, name }: Repository) => `${owner.login}/${name}`
const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
