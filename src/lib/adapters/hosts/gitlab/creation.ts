import { Type } from 'typebox'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { answerReader } from '../hosted/api/answer-reader.ts'
import { type Answer, type HostClient, messageOf, refusalOf } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { nameOf } from '../hosted/known-repositories.ts'
import { type CreationApi, giveTeam } from '../hosted/repositories.ts'
import { markedDescription, projectPath, segment } from './project.ts'

/** Roles by their access level. Nobody can give more than the own role, which is Maintainer. */
const ACCESS_LEVELS = { pull: 20, triage: 20, push: 30, maintain: 40, admin: 40 } as const

export const rightToCreate = (owner: string): string => `group: create projects in ${owner}`

const readId = answerReader('a namespace', Type.Object({ id: Type.Integer({ minimum: 1 }) }))

/** Id of a group, or of the namespace of a person. */
export async function namespaceId(
  client: Pick<HostClient, 'read'>,
  owner: string,
): GitAnswer<number> {
  const answer = await client.read(`/namespaces/${segment(owner)}`)
  if (!answer.ok) return answer
  if (answer.value.status !== 200) {
    const why = answer.value.status === 404 ? 'there is no such group' : messageOf(answer.value)
    return err({ kind: 'git_denied', what: `${rightToCreate(owner)} (${why})` })
  }
  const read = readId(answer.value)
  return read.ok ? ok(read.value.id) : read
}

export const creationApi = ({
  client,
  log,
  repositories: { visibility, defaultBranch, topics, teamPermission },
}: Hosted): CreationApi => ({
  async post({ owner, name }, pendingDescription) {
    const namespace = await namespaceId(client, owner)
    if (!namespace.ok) return namespace
    const answer = await client.write('POST', '/projects', {
      name,
      path: name,
      namespace_id: namespace.value,
      description: pendingDescription,
      visibility: visibility === 'internal' ? visibility : 'private',
      initialize_with_readme: false,
    })
    const isTaken =
      answer.ok && answer.value.status === 400 && /taken/.test(messageOf(answer.value))
    return isTaken ? ok({ ...answer.value, status: 409 }) : answer
  },
  /** Shares the project with the group of its team, `<owner>/<team>`. */
  async furnish(repository, { team }) {
    if (teamPermission === null) return ok(undefined)
    const group = `${repository.owner}/${team}`
    const query = { with_projects: 'false' }
    const found = await client.read(`/groups/${segment(group)}`, { query })
    if (!found.ok) return found
    const id = found.value.status === 200 ? readId(found.value) : null
    if (id?.ok === false) return id
    const body = { group_id: id?.value.id, group_access: ACCESS_LEVELS[teamPermission] }
    const given =
      id === null
        ? Promise.resolve(found)
        : client.write('POST', `${projectPath(repository)}/share`, body)
    // 409: it is shared with the group already.
    return giveTeam({ log }, { repository, team: group }, [201, 409], given)
  },
  async show(repository, { description, homepage, visibility: before }) {
    const isSeen = visibility === before
    const answer = await client.write('PUT', projectPath(repository), {
      description: markedDescription(description, homepage),
      default_branch: defaultBranch,
      topics,
      // GitLab refuses the member to all but an Owner, also where nothing changes.
      ...(!isSeen && { visibility }),
    })
    if (!answer.ok || answer.value.status !== 403 || isSeen) return answer
    const what = `role Owner on ${nameOf(repository)}, to make it ${visibility}`
    return err({ kind: 'git_denied', what })
  },
  refusalOf: (answer, { owner, name }) =>
    answer.status === 400 || answer.status === 403 || answer.status === 404
      ? { kind: 'git_denied', what: `${rightToCreate(owner)}${because(answer)}` }
      : refusalOf(answer, { repository: `${owner}/${name}`, right: 'role Maintainer' }),
})

const because = (answer: Answer): string => {
  const message = messageOf(answer)
  return message === '' ? '' : ` (${message})`
}
