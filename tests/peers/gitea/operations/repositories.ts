import { created, NO_CONTENT, ok, Refusal } from '../answer.ts'
import { type Call, parameter, repositoryOf } from '../call.ts'
import { teamJson } from '../json/accounts.ts'
import { repositoryJson } from '../json/repository.ts'
import { type Account, fullName, NameTaken } from '../state.ts'
import { organizationOf } from './accounts.ts'

interface NewRepository {
  readonly name: string
  readonly description?: string
  readonly private?: boolean
  readonly default_branch?: string
  readonly auto_init?: boolean
}
interface Edit {
  readonly name?: string
  readonly description?: string
  readonly website?: string
  readonly private?: boolean
  readonly default_branch?: string
  readonly archived?: boolean
}

const RESERVED = /^\.{1,2}$|^-$|\.(git|wiki|rss|atom)$/i

export const repositories = {
  async createOrgRepo(call: Call) {
    const organization = organizationOf(call)
    if (call.token.rights !== 'admin') {
      throw new Refusal(403, 'User is not allowed to create repositories in this organization.')
    }
    return await create(call, organization)
  },
  createCurrentUserRepo: (call: Call) => create(call, call.token.account),

  repoGet(call: Call) {
    const repository = repositoryOf(call)
    return ok(repositoryJson(call.state, repository, call.token.rights))
  },

  /** An unknown default branch is ignored without a word. */
  async repoEdit(call: Call) {
    const repository = repositoryOf(call, 'admin')
    const edit = call.body as Edit
    const { default_branch: branch } = edit
    if (branch !== undefined && (await repository.git.reference(`refs/heads/${branch}`)) !== null) {
      repository.defaultBranch = branch
      await repository.git.setDefaultBranch(branch)
    }
    if (edit.name !== undefined && edit.name !== repository.name) {
      if (call.state.repository(repository.owner.login, edit.name)) {
        throw new Refusal(422, `repo name is already taken [name: ${edit.name}]`)
      }
      call.state.redirects.set(fullName(repository).toLowerCase(), repository)
      repository.name = edit.name
    }
    repository.description = edit.description ?? repository.description
    repository.website = edit.website ?? repository.website
    repository.isPrivate = edit.private ?? repository.isPrivate
    repository.isArchived = edit.archived ?? repository.isArchived
    return ok(repositoryJson(call.state, repository, call.token.rights))
  },

  repoDelete(call: Call) {
    const repository = repositoryOf(call, 'admin')
    const { repositories: all } = call.state
    all.splice(all.indexOf(repository), 1)
    return NO_CONTENT
  },

  repoUpdateTopics(call: Call) {
    const repository = repositoryOf(call, 'admin')
    const { topics = [] } = call.body as { readonly topics?: readonly string[] }
    const wanted = [...new Set(topics.map((topic) => topic.trim().toLowerCase()))]
    const invalid = wanted.filter((topic) => !/^[a-z0-9][a-z0-9-.]{0,34}$/.test(topic))
    if (invalid.length > 0) {
      return { status: 422, body: { invalidTopics: invalid, message: 'Topic names are invalid' } }
    }
    repository.topics = wanted.toSorted()
    return NO_CONTENT
  },

  repoListTeams: (call: Call) => ok([...repositoryOf(call).teams].map(teamJson)),

  repoAddTeam(call: Call) {
    const repository = repositoryOf(call, 'admin')
    const name = parameter(call, 'team')
    const team = call.state.teams.find(
      (each) => each.organization === repository.owner && each.name === name,
    )
    if (repository.owner.kind !== 'organization') {
      throw new Refusal(405, 'repo is not owned by an organization')
    }
    if (team === undefined) {
      const { id } = repository.owner
      throw new Refusal(404, `team does not exist [org_id ${id}, team_id 0, name: ${name}]`)
    }
    if (repository.teams.has(team)) {
      throw new Refusal(422, `team '${name}' is already added to repo`)
    }
    repository.teams.add(team)
    return NO_CONTENT
  },
}

async function create(call: Call, owner: Account) {
  const { state, token } = call
  const wanted = call.body as NewRepository
  if (wanted.name === '') throw new Refusal(422, '[Name]: Required')
  if (!/^[\w.-]{1,100}$/.test(wanted.name)) throw new Refusal(422, '[Name]: AlphaDashDot')
  if (RESERVED.test(wanted.name)) {
    throw new Refusal(422, `name pattern is not allowed [pattern: ${wanted.name}]`)
  }
  const taken = new Refusal(409, 'The repository with the same name already exists.')
  if (state.repository(owner.login, wanted.name)) throw taken
  try {
    const repository = await state.addRepository(owner, {
      name: wanted.name,
      description: wanted.description ?? '',
      isPrivate: wanted.private ?? false,
      defaultBranch: wanted.default_branch ?? 'main',
    })
    state.redirects.delete(fullName(repository).toLowerCase())
    return created(repositoryJson(state, repository, token.rights))
  } catch (error) {
    if (error instanceof NameTaken) throw taken
    throw error
  }
}
