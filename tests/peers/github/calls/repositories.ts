import { join } from 'node:path'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { BareRepository } from '#tests/peers/forge/git/bare-repository.ts'
import { writeCommit } from '#tests/peers/forge/git/commits.ts'
import { changeTree } from '#tests/peers/forge/git/trees.ts'
import { accountOf } from './accounts.ts'
import { showWhole } from './show-repository.ts'
import { invalid, notFound, Refusal, unprocessable } from '../answer.ts'
import type { Call, RepositoryCall } from '../call.ts'
import { PROC_RECEIVE } from '../git-hook.ts'
import { fullName, type Account, type Repository, type State } from '../state.ts'

export interface NewRepository {
  readonly owner: Account
  readonly name: string
  readonly directory: string
  readonly defaultBranch: string
  readonly visibility?: Repository['visibility']
  readonly description?: string | null
  readonly homepage?: string | null
}

/** A repository without commits. */
export async function addRepository(state: State, made: NewRepository): Promise<Repository> {
  const id = state.nextId()
  const repository: Repository = {
    id,
    owner: made.owner,
    name: made.name,
    description: made.description ?? null,
    homepage: made.homepage ?? null,
    visibility: made.visibility ?? 'private',
    defaultBranch: made.defaultBranch,
    archived: false,
    topics: [],
    createdAt: state.now(),
    git: await BareRepository.create(join(made.directory, `${id}.git`), made.defaultBranch),
    emptyCalls: 0,
    hiddenCalls: 0,
    protections: new Map(),
    requiredReviews: 0,
    statuses: new Map(),
    pulls: new Map(),
    releases: [],
    teams: new Map(),
  }
  await repository.git.installHook('proc-receive', PROC_RECEIVE)
  state.repositories.set(fullName(repository).toLowerCase(), repository)
  return repository
}

export const getRepository = (call: RepositoryCall): Answer => ({
  status: 200,
  body: showWhole(call, call.repository),
})

interface CreateBody {
  readonly name: string
  readonly description?: string
  readonly homepage?: string
  readonly private?: boolean
  readonly visibility?: Repository['visibility']
  readonly auto_init?: boolean
}

export const createInOrganization =
  (directory: string) =>
  async (call: Call): Promise<Answer> => {
    const owner = accountOf(call.state, call.parameters['org'] ?? '')
    if (owner.type !== 'Organization') throw notFound()
    return await create(call, owner, directory)
  }

export const createForUser =
  (directory: string) =>
  async (call: Call): Promise<Answer> => {
    if (call.credential.kind === 'installation')
      throw new Refusal(403, 'Resource not accessible by integration')
    return await create(call, call.credential.account, directory)
  }

/** Names of repositories that are being made, so that two requests at once make one. */
const claims = new WeakMap<State, Set<string>>()

function namesOf(state: State): Set<string> {
  const names = claims.get(state) ?? new Set<string>()
  claims.set(state, names)
  return names
}

async function create(call: Call, owner: Account, directory: string): Promise<Answer> {
  const body = call.body as CreateBody
  const { state, behaviour } = call
  // GitHub replaces other characters without a word.
  const name = body.name.replaceAll(/[^A-Za-z0-9._-]/g, '-')
  const failed = (message: string) =>
    invalid('Repository', { code: 'custom', field: 'name', message }, 'Repository creation failed.')
  const key = `${owner.login}/${name}`.toLowerCase()
  const claimed = namesOf(state)
  const visibility = body.visibility ?? (body.private === true ? 'private' : 'public')
  if (visibility === 'private' && !behaviour.privateRepositories)
    throw new Refusal(
      403,
      "You'll need a different OAuth scope to create a private repository. Please see the documentation for full details.",
    )
  if (state.repositories.has(key) || claimed.has(key))
    throw failed('name already exists on this account')
  if (name.length > 100) throw failed('name is too long (maximum is 100 characters)')
  refuseDescription(body.description, 'Repository creation failed.')
  claimed.add(key)
  const repository = await addRepository(state, {
    owner,
    name,
    directory,
    defaultBranch: behaviour.defaultBranch,
    visibility,
    description: body.description ?? null,
    homepage: body.homepage ?? null,
  })
  claimed.delete(key)
  repository.hiddenCalls = behaviour.hiddenCalls
  if (body.auto_init === true) {
    await firstCommit(call, repository)
    repository.emptyCalls = behaviour.emptyCalls
  }
  return {
    status: 201,
    headers: { location: `${call.links.api}/repos/${fullName(repository)}` },
    body: showWhole(call, repository),
  }
}

const DESCRIPTION_MAX = 350

function refuseDescription(description: string | undefined, refused?: string): void {
  const wrong = (message: string) =>
    invalid('Repository', { code: 'custom', field: 'description', message }, refused)
  if (/\p{Cc}/u.test(description ?? ''))
    throw wrong('description control characters are not allowed')
  if (Array.from(description ?? '').length > DESCRIPTION_MAX)
    throw wrong('description cannot be more than 350 characters')
}

async function firstCommit({ state, credential }: Call, repository: Repository): Promise<void> {
  const { git, name, description, defaultBranch } = repository
  const readme = await git.write('blob', Buffer.from(`# ${name}\n${description ?? ''}`))
  const entry = { mode: '100644', id: readme }
  const tree = await changeTree(git, null, [{ path: 'README.md', entry }])
  const by = {
    name: credential.account.login,
    email: `${credential.account.login}@users.noreply.github.test`,
    at: Math.floor(state.now() / 1000),
  }
  const message = 'Initial commit'
  const commit = { tree, parents: [], author: by, committer: by, message, isSigned: false }
  await git.updateReference(`refs/heads/${defaultBranch}`, await writeCommit(git, commit))
}

interface UpdateBody extends Omit<CreateBody, 'name' | 'auto_init'> {
  readonly name?: string
  readonly default_branch?: string
  readonly archived?: boolean
}

export async function updateRepository(call: RepositoryCall): Promise<Answer> {
  const body = call.body as UpdateBody
  const { repository, state } = call
  refuseDescription(body.description)
  refuseVisibility(call, body.visibility)
  if (body.default_branch !== undefined) {
    const branch = `refs/heads/${body.default_branch}`
    if ((await repository.git.reference(branch)) === null)
      throw invalid('Repository', {
        code: 'invalid',
        field: 'default_branch',
        message: `The branch ${body.default_branch} was not found. Please push that ref first or create it via the Git Data API.`,
      })
    await repository.git.setDefaultBranch(body.default_branch)
    repository.defaultBranch = body.default_branch
  }
  if (body.name !== undefined && body.name !== repository.name)
    renameRepository(state, repository, body.name)
  if (body.description !== undefined) repository.description = body.description
  if (body.homepage !== undefined) repository.homepage = body.homepage
  if (body.private !== undefined) repository.visibility = body.private ? 'private' : 'public'
  if (body.visibility !== undefined) repository.visibility = body.visibility
  if (body.archived !== undefined) repository.archived = body.archived
  return { status: 200, body: showWhole(call, repository) }
}

function refuseVisibility(
  { repository, behaviour }: RepositoryCall,
  visibility: Repository['visibility'] | undefined,
): void {
  if (visibility === undefined) return
  if (visibility === repository.visibility)
    throw unprocessable(`Visibility is already ${visibility}.`)
  if (!behaviour.visibilityChanges) throw unprocessable("Visibility can't be changed by this user.")
}

export function renameRepository(state: State, repository: Repository, name: string): void {
  const before = fullName(repository).toLowerCase()
  state.repositories.delete(before)
  state.formerNames.set(before, repository)
  repository.name = name
  state.repositories.set(fullName(repository).toLowerCase(), repository)
  state.formerNames.delete(fullName(repository).toLowerCase())
}

const TOPICS_MAX = 20

export function replaceTopics(call: RepositoryCall): Answer {
  const { names } = call.body as { readonly names: readonly string[] }
  if (names.length > TOPICS_MAX)
    throw unprocessable('A repository cannot have more than 20 topics.')
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9-]{0,49}$/.test(name))
  if (wrong !== undefined)
    throw unprocessable(
      `Topics must start with a lowercase letter or number, consist of 50 characters or less, and can include hyphens.`,
    )
  call.repository.topics = names
  return { status: 200, body: { names } }
}

export function setTeamPermission(call: RepositoryCall): Answer {
  const { org = '', team_slug: slug = '' } = call.parameters
  if (!call.state.teams.has(`${org}/${slug}`.toLowerCase())) throw notFound()
  const { permission = 'push' } = (call.body as { readonly permission?: string } | undefined) ?? {}
  call.repository.teams.set(slug, permission)
  return { status: 204 }
}
