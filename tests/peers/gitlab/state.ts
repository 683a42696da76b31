import { join } from 'node:path'
import { BareRepository } from '#tests/peers/forge/git/bare-repository.ts'
import { PRE_RECEIVE } from './hook.ts'

export interface User {
  readonly id: number
  readonly username: string
}

/** A group, or the namespace of a person. */
export interface Namespace {
  readonly id: number
  /** Full path. */
  readonly path: string
  readonly kind: 'group' | 'user'
}

/** What a token may do, everywhere. */
export interface Token {
  readonly user: User
  /** Role in every group and project: 20 Reporter, 30 Developer, 40 Maintainer. */
  level: number
  scope: 'api' | 'read_api'
}

export interface MergeRequest {
  readonly iid: number
  readonly author: User
  title: string
  description: string
  readonly source: string
  readonly sourceProject: number
  target: string
  /** Last commit of the source branch. */
  sha: string
  /** Commits of the source branch alone. */
  commits: readonly string[]
  state: 'opened' | 'closed' | 'locked' | 'merged'
  readonly createdAt: number
  closedAt: number | null
  merged: {
    readonly at: number
    readonly by: User
    readonly merge: string | null
    readonly squash: string | null
  } | null
  readonly labels: Set<string>
  reviewers: readonly User[]
  readonly approvedBy: User[]
  /** Whether a reviewer has asked for changes. */
  changesRequested: boolean
  /** Status of the pipeline of its last commit. */
  pipeline: 'success' | 'failed' | 'running' | null
  /** Requests until the check of conflicts is done. */
  checks: number
}

export interface PackageFile {
  readonly id: number
  readonly name: string
  readonly bytes: Uint8Array
}
export interface Package {
  readonly id: number
  readonly name: string
  readonly version: string
  readonly files: PackageFile[]
}
export interface Release {
  readonly tag: string
  readonly releasedAt: number
  readonly links: readonly { readonly id: number; readonly name: string; readonly url: string }[]
}

export interface Project {
  readonly id: number
  namespace: Namespace
  path: string
  description: string
  visibility: 'private' | 'internal' | 'public'
  topics: readonly string[]
  archived: boolean
  /** `null` until the first push is noticed. */
  defaultBranch: string | null
  /** Requests until the first push is noticed; `null` before it. */
  unnoticed: number | null
  readonly createdAt: number
  readonly git: BareRepository
  readonly mergeRequests: MergeRequest[]
  readonly packages: Package[]
  readonly releases: Release[]
  readonly shares: { readonly group: Namespace; readonly level: number }[]
  readonly protections: Set<string>
  /** Approvals that a merge request needs, at Premium. */
  approvalsRequired: number
  /** The merge requests in the merge train. */
  readonly train: MergeRequest[]
}

export const fullPath = ({ namespace, path }: Pick<Project, 'namespace' | 'path'>): string =>
  `${namespace.path}/${path}`

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** Everything that the server knows, besides git's objects. */
export class State {
  readonly users: User[] = []
  readonly namespaces: Namespace[] = []
  readonly tokens = new Map<string, Token>()
  readonly projects: Project[] = []
  /** Former full paths of moved projects, in lower case. */
  readonly redirects = new Map<string, Project>()
  readonly folder: string
  url = ''
  /** Requests until the first push into a project is noticed. */
  queueLag = 0
  /** Requests until a merge request is checked for conflicts. */
  checkLag = 0
  #ids = 100
  #turn: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.folder = folder
  }

  /** Full paths are unique: one project is made after the other. */
  async inTurn<Value>(make: () => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(make)
    this.#turn = turn.catch(() => undefined)
    return await turn
  }

  nextId(): number {
    this.#ids += 1
    return this.#ids
  }

  addUser(username: string): User {
    const user = { id: this.nextId(), username }
    this.users.push(user)
    this.namespaces.push({ id: this.nextId(), path: username, kind: 'user' })
    return user
  }

  addGroup(path: string): Namespace {
    const group = { id: this.nextId(), path, kind: 'group' } as const
    this.namespaces.push(group)
    return group
  }

  namespace(path: string): Namespace | undefined {
    return this.namespaces.find((each) => same(each.path, path))
  }

  /** By its id or its full path. */
  project(key: string): Project | undefined {
    return this.projects.find((each) => String(each.id) === key || same(fullPath(each), key))
  }

  async addProject(namespace: Namespace, path: string): Promise<Project> {
    const id = this.nextId()
    const git = await BareRepository.create(join(this.folder, `${id}.git`), 'main')
    await git.installHook('pre-receive', PRE_RECEIVE)
    const project: Project = {
      id,
      namespace,
      path,
      description: '',
      visibility: 'private',
      topics: [],
      archived: false,
      defaultBranch: null,
      unnoticed: null,
      createdAt: Date.now(),
      git,
      mergeRequests: [],
      packages: [],
      releases: [],
      shares: [],
      protections: new Set(),
      approvalsRequired: 0,
      train: [],
    }
    this.projects.push(project)
    return project
  }

  /** A push is noticed in the background: the default branch, and merge requests of the branches. */
  async afterPush(project: Project): Promise<void> {
    const heads = new Map(await project.git.references('refs/heads/'))
    if (heads.size > 0 && project.defaultBranch === null) project.unnoticed ??= this.queueLag
    await this.notice(project)
    for (const request of project.mergeRequests) {
      if (request.state !== 'opened') continue
      const tip = heads.get(`refs/heads/${request.source}`)
      if (tip !== undefined) {
        request.sha = tip
        request.commits = await commitsOf(project, request)
      }
      request.checks = this.checkLag
    }
  }

  async notice(project: Project): Promise<void> {
    if (project.unnoticed === null || project.defaultBranch !== null) return
    if (project.unnoticed > 0) {
      project.unnoticed -= 1
      return
    }
    const [head] = await project.git.references('refs/heads/')
    if (head === undefined) return
    project.defaultBranch = head[0].slice('refs/heads/'.length)
    await project.git.setDefaultBranch(project.defaultBranch)
  }
}

export async function commitsOf(
  { git }: Pick<Project, 'git'>,
  { sha, target }: Pick<MergeRequest, 'sha' | 'target'>,
): Promise<readonly string[]> {
  const tip = await git.reference(`refs/heads/${target}`)
  const range = ['rev-list', sha, ...(tip === null ? [] : [`^${tip}`])]
  return (await git.git(range)).toString().split('\n').filter(Boolean)
}
