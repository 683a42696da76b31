import type { Answer } from '#tests/peers/forge/answer.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { mergedTree } from '#tests/peers/forge/git/merging.ts'
import {
  approvalsJson,
  branchJson,
  carJson,
  type Check,
  groupJson,
  headPipelineJson,
  mergeRequestJson,
  namespaceJson,
  packageFileJson,
  packageJson,
  projectJson,
  releaseJson,
  userJson,
} from './json.ts'
import { commitsOf, type MergeRequest, type Project, type State, type Token } from './state.ts'

export interface Call {
  readonly state: State
  readonly token: Token
  /** Parts of the path, decoded. */
  readonly parts: readonly string[]
  readonly url: URL
  readonly body: Readonly<Record<string, unknown>>
  /** What a GitLab would have done that nobody wanted. */
  readonly deviations: string[]
}

/** Ends a call with one of GitLab's refusals. */
class Refusal extends Error {
  readonly answer: Answer

  constructor(status: number, message: unknown) {
    super(`refused with ${status}`)
    this.answer = { status, body: { message } }
  }
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const created = (body: unknown): Answer => ({ status: 201, body })
const notFound = (what: string) => new Refusal(404, `404 ${what} Not Found`)
const forbidden = () => new Refusal(403, '403 Forbidden')

const REPORTER = 20
const DEVELOPER = 30
const MAINTAINER = 40
const OWNER = 50
/** `Gitlab::PathRegex`. */
const PROJECT_PATH = /^[a-zA-Z0-9_.][a-zA-Z0-9_.-]*$/
/** `Gitlab::QuickActions::Extractor`, of the commands that change something. */
const QUICK_ACTION =
  /^[ \t]*\/(?:merge|approve|close|reopen|label|assign|draft|title|target_branch)\b/m

function projectOf({ state, token, parts }: Call, level = REPORTER): Project {
  const project = state.project(parts[0] ?? '')
  if (project === undefined) throw notFound('Project')
  if (token.level < REPORTER && project.visibility === 'private') throw notFound('Project')
  if (token.level < level) throw forbidden()
  return project
}

/** A page of a list, with the link to the next one. */
function paged<Item>({ url, state }: Call, all: readonly Item[], show: (item: Item) => unknown) {
  const perPage = Math.min(Number(url.searchParams.get('per_page') ?? 20), 100)
  const page = Math.max(Number(url.searchParams.get('page') ?? 1), 1)
  const next = new URL(url.pathname, state.url)
  next.search = url.search
  next.searchParams.set('page', String(page + 1))
  const headers: Record<string, string> =
    page * perPage < all.length ? { link: `<${next.href}>; rel="next"` } : {}
  const items = all.slice((page - 1) * perPage, page * perPage)
  return { status: 200, headers, body: items.map(show) } satisfies Answer
}

const canPush = ({ token }: Pick<Call, 'token'>, project: Project, branch: string): boolean =>
  !project.archived &&
  (project.protections.has(branch) ? token.level > MAINTAINER : token.level >= DEVELOPER)

async function checkOf(project: Project, request: MergeRequest): Promise<Check> {
  if (request.state !== 'opened') return 'closed'
  if (request.checks > 0) return 'unchecked'
  const base = await project.git.reference(`refs/heads/${request.target}`)
  const tree = base === null ? null : await mergedTree(project.git, base, request.sha)
  return tree === null ? 'conflict' : 'clean'
}

const show = async (call: Call, project: Project, request: MergeRequest) =>
  mergeRequestJson(call.state, project, request, await checkOf(project, request))

function requestOf(call: Call, project: Project): MergeRequest {
  const request = project.mergeRequests.find(({ iid }) => String(iid) === call.parts[1])
  if (request === undefined) throw notFound('Merge request')
  return request
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function requireNoQuickAction({ deviations }: Call, description: string): void {
  const found = QUICK_ACTION.exec(description)
  if (found !== null) deviations.push(`a description with the quick action ${found[0].trim()}`)
}

async function shown(call: Call, project: Project, requests: readonly MergeRequest[]) {
  const items = await Promise.all(requests.map((request) => show(call, project, request)))
  return paged(call, items, (item) => item)
}

export const handlers = {
  getProject: async (call: Call) => {
    const project = projectOf(call)
    const answer = ok(projectJson(call.state, project))
    await call.state.notice(project)
    return answer
  },

  createProject: async (call: Call) => {
    const { state, token, body } = call
    const namespace = state.namespaces.find(({ id }) => id === body['namespace_id'])
    const isOwn = namespace?.kind === 'user' && namespace.path === token.user.username
    if (namespace === undefined || (token.level < MAINTAINER && !isOwn)) {
      throw new Refusal(400, { namespace: ['is not valid'] })
    }
    const path = text(body['path'])
    if (!PROJECT_PATH.test(path)) {
      throw new Refusal(400, { path: ["can contain only letters, digits, '_', '-' and '.'."] })
    }
    return await state.inTurn(async () => {
      if (state.project(`${namespace.path}/${path}`) !== undefined) {
        const taken = 'has already been taken'
        throw new Refusal(400, { 'project_namespace.name': [taken], name: [taken], path: [taken] })
      }
      const project = await state.addProject(namespace, path)
      project.description = text(body['description'])
      project.visibility = (body['visibility'] ?? 'private') as Project['visibility']
      return created(projectJson(state, project))
    })
  },

  editProject: async (call: Call) => {
    const { body } = call
    // `change_visibility_level` of `ProjectPolicy`, whatever the visibility is.
    const project = projectOf(call, body['visibility'] === undefined ? MAINTAINER : OWNER)
    const branch = body['default_branch']
    if (typeof branch === 'string') {
      if (project.defaultBranch === null) {
        throw new Refusal(400, { base: [`Could not set the default branch`] })
      }
      project.defaultBranch = branch
    }
    project.description = text(body['description'] ?? project.description)
    project.visibility = (body['visibility'] ?? project.visibility) as Project['visibility']
    project.topics = (body['topics'] ?? project.topics) as readonly string[]
    return ok(projectJson(call.state, project))
  },

  shareProject: async (call: Call) => {
    const project = projectOf(call, MAINTAINER)
    const group = call.state.namespaces.find(({ id }) => id === call.body['group_id'])
    if (group === undefined) throw notFound('Group')
    if (project.shares.some((share) => share.group === group)) {
      throw new Refusal(409, 'The project is already shared with this group')
    }
    project.shares.push({ group, level: Number(call.body['group_access']) })
    return created({ id: call.state.nextId(), project_id: project.id, group_id: group.id })
  },

  getNamespace: async ({ state, parts }: Call) => {
    const namespace = state.namespace(parts[0] ?? '')
    if (namespace === undefined) throw notFound('Namespace')
    return ok(namespaceJson(namespace))
  },

  getGroup: async ({ state, parts }: Call) => {
    const group = state.namespace(parts[0] ?? '')
    if (group === undefined || group.kind === 'user') throw notFound('Group')
    return ok(groupJson(group))
  },

  listUsers: async (call: Call) => {
    const { state, url } = call
    const wanted = url.searchParams.get('username')?.toLowerCase()
    const users = state.users.filter(({ username }) => username.toLowerCase() === wanted)
    return paged(call, users, userJson)
  },

  getBranch: async (call: Call) => {
    const project = projectOf(call)
    const name = call.parts[1] ?? ''
    const commit = await readCommit(
      project.git,
      (await project.git.reference(`refs/heads/${name}`)) ?? '',
    )
    if (commit === null) throw notFound('Branch')
    return ok(branchJson(project, { name, commit, canPush: canPush(call, project, name) }))
  },

  createBranch: async (call: Call) => {
    const project = projectOf(call, DEVELOPER)
    const ref = text(call.body['ref'])
    const commit = await project.git.reference(`refs/heads/${ref}`)
    if (commit === null) throw new Refusal(400, `Invalid reference name: ${ref}`)
    await project.git.updateReference(`refs/heads/${text(call.body['branch'])}`, commit)
    await call.state.afterPush(project)
    return created({})
  },

  listMergeRequests: async (call: Call) => {
    const project = projectOf(call)
    const query = call.url.searchParams
    const [state, source, target] = ['state', 'source_branch', 'target_branch'].map((name) =>
      query.get(name),
    )
    const found = project.mergeRequests.filter(
      (each) =>
        (state === null || state === 'all' || each.state === state) &&
        (source === null || each.source === source) &&
        (target === null || each.target === target),
    )
    if (query.get('with_merge_status_recheck') === 'true') {
      for (const each of found) each.checks = Math.max(0, each.checks - 1)
    }
    return await shown(call, project, found.toReversed())
  },

  getMergeRequest: async (call: Call) => {
    const project = projectOf(call)
    const request = requestOf(call, project)
    const shown = await show(call, project, request)
    const answer = ok({ ...shown, head_pipeline: headPipelineJson(request) })
    request.checks = Math.max(0, request.checks - 1)
    return answer
  },

  getApprovals: async (call: Call) => {
    const project = projectOf(call)
    return ok(approvalsJson(project, requestOf(call, project)))
  },

  listMergeTrains: async (call: Call) => {
    const project = projectOf(call, DEVELOPER)
    return paged(call, project.train, carJson)
  },

  createMergeRequest: async (call: Call) => {
    const project = projectOf(call, DEVELOPER)
    const { body, state, token } = call
    const [source, target] = [text(body['source_branch']), text(body['target_branch'])]
    const description = text(body['description'])
    if (source === target) {
      throw new Refusal(422, ["You can't use same project/branch for source and target"])
    }
    const open = project.mergeRequests.find(
      (each) => each.state === 'opened' && each.source === source && each.target === target,
    )
    if (open !== undefined) {
      const already = `Another open merge request already exists for this source branch: !${open.iid}`
      throw new Refusal(409, [already])
    }
    const sha = await project.git.reference(`refs/heads/${source}`)
    if (sha === null) throw new Refusal(400, { source_branch: ['does not exist'] })
    requireNoQuickAction(call, description)
    const request: MergeRequest = {
      iid: project.mergeRequests.length + 1,
      author: token.user,
      title: text(body['title']),
      description,
      source,
      sourceProject: project.id,
      target,
      sha,
      commits: await commitsOf(project, { sha, target }),
      state: 'opened',
      createdAt: Date.now(),
      closedAt: null,
      merged: null,
      labels: new Set(),
      reviewers: [],
      approvedBy: [],
      changesRequested: false,
      pipeline: null,
      checks: state.checkLag,
    }
    project.mergeRequests.push(request)
    return created(await show(call, project, request))
  },

  editMergeRequest: async (call: Call) => {
    const project = projectOf(call, DEVELOPER)
    const request = requestOf(call, project)
    const { body, state } = call
    if (body['state_event'] === 'close' && request.state === 'opened') {
      request.state = 'closed'
      request.closedAt = Date.now()
    }
    for (const label of text(body['add_labels']).split(',').filter(Boolean)) {
      request.labels.add(label)
    }
    const ids = body['reviewer_ids']
    if (Array.isArray(ids)) request.reviewers = state.users.filter(({ id }) => ids.includes(id))
    return ok(await show(call, project, request))
  },

  /** Those of a merge or squash commit, and of each commit of the branch. */
  listCommitMergeRequests: async (call: Call) => {
    const project = projectOf(call)
    const sha = call.parts[1] ?? ''
    if ((await readCommit(project.git, sha)) === null) throw notFound('Commit')
    const found = project.mergeRequests.filter(
      ({ commits, merged }) =>
        commits.includes(sha) || merged?.merge === sha || merged?.squash === sha,
    )
    return await shown(call, project, found)
  },

  listReleases: async (call: Call) => {
    const project = projectOf(call)
    const newest = project.releases.toSorted((one, other) => other.releasedAt - one.releasedAt)
    return paged(call, newest, (release) => releaseJson(release, Date.now()))
  },

  listPackages: async (call: Call) => {
    const project = projectOf(call)
    return paged(call, project.packages, packageJson)
  },

  listPackageFiles: async (call: Call) => {
    const project = projectOf(call)
    const found = project.packages.find(({ id }) => String(id) === call.parts[1])
    if (found === undefined) throw notFound('Package')
    return paged(call, found.files, packageFileJson)
  },

  downloadPackageFile: async (call: Call): Promise<Answer> => {
    const project = projectOf(call)
    const [, name, version, filename] = call.parts
    const found = project.packages.find((each) => each.name === name && each.version === version)
    const file = found?.files.findLast((each) => each.name === filename)
    if (file === undefined) throw notFound('Package')
    return {
      status: 200,
      headers: { 'content-type': 'application/octet-stream' },
      body: file.bytes,
    }
  },
} as const

export type OperationName = keyof typeof handlers

const P = String.raw`/projects/([^/]+)`
/** Each part of a path is one segment: a full path is encoded. */
const ROUTES: readonly (readonly [OperationName, string, RegExp])[] = (
  [
    ['getProject', 'GET', P],
    ['editProject', 'PUT', P],
    ['createProject', 'POST', '/projects'],
    ['shareProject', 'POST', `${P}/share`],
    ['getNamespace', 'GET', '/namespaces/([^/]+)'],
    ['getGroup', 'GET', '/groups/([^/]+)'],
    ['listUsers', 'GET', '/users'],
    ['getBranch', 'GET', `${P}/repository/branches/([^/]+)`],
    ['createBranch', 'POST', `${P}/repository/branches`],
    ['listMergeRequests', 'GET', `${P}/merge_requests`],
    ['createMergeRequest', 'POST', `${P}/merge_requests`],
    ['getMergeRequest', 'GET', String.raw`${P}/merge_requests/(\d+)`],
    ['getApprovals', 'GET', String.raw`${P}/merge_requests/(\d+)/approvals`],
    ['listMergeTrains', 'GET', `${P}/merge_trains`],
    ['editMergeRequest', 'PUT', String.raw`${P}/merge_requests/(\d+)`],
    ['listCommitMergeRequests', 'GET', `${P}/repository/commits/([^/]+)/merge_requests`],
    ['listReleases', 'GET', `${P}/releases`],
    ['listPackages', 'GET', `${P}/packages`],
    ['listPackageFiles', 'GET', String.raw`${P}/packages/(\d+)/package_files`],
    ['downloadPackageFile', 'GET', `${P}/packages/generic/([^/]+)/([^/]+)/([^/]+)`],
  ] as const
).map(([name, method, pattern]) => [name, method, new RegExp(`^/api/v4${pattern}$`)])

export interface FoundOperation {
  readonly name: OperationName
  readonly parts: readonly string[]
}

export function findOperation(method: string, pathname: string): FoundOperation | null {
  for (const [name, verb, pattern] of ROUTES) {
    const found = verb === method ? pattern.exec(pathname) : null
    if (found !== null) return { name, parts: found.slice(1).map(decodeURIComponent) }
  }
  return null
}

export async function answerApi(found: FoundOperation, call: Call): Promise<Answer> {
  const { state, url, token, parts } = call
  try {
    const method = /^(?:get|list|download)/.test(found.name) ? 'GET' : 'other'
    if (token.scope === 'read_api' && method !== 'GET') {
      const description =
        'The request requires higher privileges than provided by the access token.'
      const body = { error: 'insufficient_scope', error_description: description, scope: 'api' }
      return { status: 403, body }
    }
    const [key = ''] = parts
    const moved =
      state.project(key) === undefined ? state.redirects.get(key.toLowerCase()) : undefined
    if (moved !== undefined) {
      if (method !== 'GET') {
        throw new Refusal(405, 'Non GET methods are not allowed for moved projects')
      }
      const there = `${url.pathname.replace(encodeURIComponent(key), String(moved.id))}${url.search}`
      return { status: 302, headers: { location: `${state.url}${there}` } }
    }
    return await handlers[found.name](call)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}
