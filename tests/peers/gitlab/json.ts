import type {
  BranchSchema,
  CondensedGroupSchema,
  CondensedMergeRequestSchema,
  MergeRequestLevelMergeRequestApprovalSchema,
  MergeRequestSchema,
  NamespaceSchema,
  PackageFileSchema,
  PackageSchema,
  PipelineSchema,
  ProjectSchema,
  ReleaseSchema,
  SimpleProjectSchema,
  SimpleUserSchema,
} from '@gitbeaker/core'
import type { Commit } from '#tests/peers/forge/git/commits.ts'
import type {
  MergeRequest,
  Namespace,
  Package,
  PackageFile,
  Project,
  Release,
  State,
  User,
} from './state.ts'
import { fullPath } from './state.ts'

/** The members of a schema without its index signature, less some. */
type Less<Schema, Name extends string> = {
  [Key in keyof Schema as string extends Key ? never : Key extends Name ? never : Key]: Schema[Key]
}

const instant = (milliseconds: number) => new Date(milliseconds).toISOString()
const instantOrNull = (milliseconds: number | null | undefined) =>
  milliseconds === null || milliseconds === undefined ? null : instant(milliseconds)

export const userJson = ({ url }: Pick<State, 'url'>, { id, username }: User) =>
  ({
    id,
    username,
    name: username,
    state: 'active',
    avatar_url: `${url}/avatar/${id}`,
    web_url: `${url}/${username}`,
  }) satisfies Less<SimpleUserSchema, 'created_at'>

export const namespaceJson = ({ url }: Pick<State, 'url'>, { id, path, kind }: Namespace) =>
  ({
    id,
    name: path.split('/').at(-1) ?? path,
    path: path.split('/').at(-1) ?? path,
    kind,
    full_path: path,
    parent_id: null,
    avatar_url: null,
    web_url: kind === 'group' ? `${url}/groups/${path}` : `${url}/${path}`,
  }) satisfies Less<
    NamespaceSchema,
    'members_count_with_descendants' | 'billable_members_count' | 'plan' | 'trial' | 'trial_ends_on'
  >

export const groupJson = (state: Pick<State, 'url'>, group: Namespace) =>
  ({
    id: group.id,
    name: group.path.split('/').at(-1) ?? group.path,
    web_url: `${state.url}/groups/${group.path}`,
    full_path: group.path,
  }) satisfies Less<CondensedGroupSchema, never> & { full_path: string }

type ShownProject = Less<SimpleProjectSchema, 'default_branch'> &
  Pick<ProjectSchema, 'visibility' | 'empty_repo' | 'archived' | 'shared_with_groups'> & {
    // The types of the client say that it is always there; a project without a commit has none.
    readonly default_branch: string | null
  }

export function projectJson(state: State, project: Project) {
  const path = fullPath(project)
  return {
    id: project.id,
    description: project.description,
    name: project.path,
    name_with_namespace: path.replaceAll('/', ' / '),
    path: project.path,
    path_with_namespace: path,
    created_at: instant(project.createdAt),
    default_branch: project.defaultBranch,
    topics: [...project.topics],
    ssh_url_to_repo: `git@gitlab.test:${path}.git`,
    http_url_to_repo: `${state.url}/${path}.git`,
    web_url: `${state.url}/${path}`,
    readme_url: null,
    avatar_url: null,
    forks_count: 0,
    star_count: 0,
    last_activity_at: instant(project.createdAt),
    namespace: namespaceJson(state, project.namespace),
    visibility: project.visibility,
    empty_repo: project.defaultBranch === null,
    archived: project.archived,
    shared_with_groups: project.shares.map(({ group, level }) => ({
      group_id: group.id,
      group_name: group.path,
      group_full_path: group.path,
      group_access_level: level,
    })),
  } satisfies ShownProject
}

export const branchJson = (
  state: State,
  project: Project,
  name: string,
  commit: Commit,
  canPush: boolean,
) =>
  ({
    name,
    merged: false,
    protected: project.protections.has(name),
    default: name === project.defaultBranch,
    developers_can_push: false,
    developers_can_merge: false,
    can_push: canPush,
    web_url: `${state.url}/${fullPath(project)}/-/tree/${name}`,
    commit: {
      id: commit.id,
      short_id: commit.id.slice(0, 8),
      title: commit.message.split('\n')[0] ?? '',
      message: commit.message,
      author_name: commit.author.name,
      author_email: commit.author.email,
      parent_ids: [...commit.parents],
    },
  }) satisfies Less<BranchSchema, never>

export type Check = 'unchecked' | 'clean' | 'conflict' | 'closed'

type ShownMergeRequest = Less<MergeRequestSchema, 'detailed_merge_status' | 'author'> & {
  // The types of the client lack newer states, such as `conflict`.
  readonly detailed_merge_status:
    MergeRequestSchema['detailed_merge_status'] | 'conflict' | 'requested_changes'
  readonly author: ReturnType<typeof userJson>
  readonly merge_user: ReturnType<typeof userJson> | null
}

export function mergeRequestJson(
  state: State,
  project: Project,
  request: MergeRequest,
  check: Check,
) {
  const { merged, iid } = request
  const merger = merged === null ? null : userJson(state, merged.by)
  const statuses = {
    unchecked: ['unchecked', 'unchecked'],
    clean: ['can_be_merged', 'mergeable'],
    conflict: ['cannot_be_merged', 'conflict'],
    closed: ['can_be_merged', 'not_open'],
  } as const
  const [mergeStatus, ofCheck] = statuses[check]
  const draft = isDraft(request)
  // GitLab names the first check that fails, in this order.
  const detailed =
    check !== 'clean'
      ? ofCheck
      : request.changesRequested
        ? 'requested_changes'
        : approvalsLeft(project, request) > 0
          ? 'not_approved'
          : draft
            ? 'draft_status'
            : ofCheck
  return {
    id: project.id * 1_000 + iid,
    iid,
    project_id: project.id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: instant(request.createdAt),
    updated_at: instant(request.createdAt),
    merged_by: merger,
    merge_user: merger,
    merged_at: instantOrNull(merged?.at),
    closed_by: null,
    closed_at: merged === null ? instantOrNull(request.closedAt) : null,
    target_branch: request.target,
    source_branch: request.source,
    user_notes_count: 0,
    upvotes: 0,
    downvotes: 0,
    author: userJson(state, request.author),
    assignees: [],
    assignee: null,
    reviewers: request.reviewers.map((user) => userJson(state, user)),
    source_project_id: request.sourceProject,
    target_project_id: project.id,
    labels: [...request.labels],
    draft,
    work_in_progress: draft,
    milestone: null,
    merge_when_pipeline_succeeds: false,
    merge_status: mergeStatus,
    detailed_merge_status: detailed,
    sha: request.sha,
    merge_commit_sha: merged?.merge ?? null,
    squash_commit_sha: merged?.squash ?? null,
    discussion_locked: null,
    should_remove_source_branch: null,
    force_remove_source_branch: false,
    reference: `!${iid}`,
    references: { short: `!${iid}`, relative: `!${iid}`, full: `${fullPath(project)}!${iid}` },
    web_url: `${state.url}/${fullPath(project)}/-/merge_requests/${iid}`,
    time_stats: {
      time_estimate: 0,
      total_time_spent: 0,
      human_time_estimate: null,
      human_total_time_spent: null,
    },
    squash: false,
    task_completion_status: { count: 0, completed_count: 0 },
    prepared_at: instant(request.createdAt),
    has_conflicts: check === 'conflict',
    blocking_discussions_resolved: true,
    approvals_before_merge: null,
  } satisfies ShownMergeRequest
}

/** `Gitlab::Regex.merge_request_draft`. */
const isDraft = ({ title }: MergeRequest) => /^(?:Draft:|\[Draft\]|\(Draft\))/i.test(title)

const approvalsLeft = ({ approvalsRequired }: Project, { approvedBy }: MergeRequest) =>
  Math.max(0, approvalsRequired - approvedBy.length)

export const headPipelineJson = (state: State, project: Project, request: MergeRequest) =>
  request.pipeline && pipelineJson(state, project, request, request.pipeline)

const pipelineJson = (
  state: State,
  project: Project,
  { iid, sha, source, createdAt }: MergeRequest,
  status: PipelineSchema['status'],
) =>
  ({
    id: project.id * 1_000 + iid,
    iid,
    project_id: project.id,
    sha,
    ref: source,
    status,
    source: 'push',
    created_at: instant(createdAt),
    updated_at: instant(createdAt),
    web_url: `${state.url}/${fullPath(project)}/-/pipelines/${iid}`,
  }) satisfies Less<PipelineSchema, never>

export const approvalsJson = (state: State, project: Project, request: MergeRequest) =>
  ({
    id: project.id * 1_000 + request.iid,
    iid: request.iid,
    project_id: project.id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: instant(request.createdAt),
    updated_at: instant(request.createdAt),
    merge_status: 'can_be_merged',
    approvals_required: project.approvalsRequired,
    approvals_left: approvalsLeft(project, request),
    approved_by: request.approvedBy.map((user) => ({ user: userJson(state, user) })),
  }) satisfies Less<MergeRequestLevelMergeRequestApprovalSchema, never>

export const carJson = (state: State, project: Project, request: MergeRequest) => ({
  id: project.id * 1_000 + request.iid,
  merge_request: {
    id: project.id * 1_000 + request.iid,
    iid: request.iid,
    project_id: project.id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: instant(request.createdAt),
    updated_at: instant(request.createdAt),
    web_url: `${state.url}/${fullPath(project)}/-/merge_requests/${request.iid}`,
  } satisfies Less<CondensedMergeRequestSchema, never>,
  user: userJson(state, request.author),
  pipeline: pipelineJson(state, project, request, request.pipeline ?? 'pending'),
  created_at: instant(request.createdAt),
  updated_at: instant(request.createdAt),
  target_branch: request.target,
  status: 'fresh',
  merged_at: null,
  duration: null,
})

type ShownRelease = Pick<ReleaseSchema, 'name' | 'tag_name' | 'description' | 'created_at'> &
  Pick<ReleaseSchema, 'released_at' | 'upcoming_release' | 'commit_path' | 'tag_path' | 'assets'>

export const releaseJson = (project: Project, release: Release, now: number) =>
  ({
    tag_name: release.tag,
    name: release.tag,
    description: '',
    created_at: instant(release.releasedAt),
    released_at: instant(release.releasedAt),
    upcoming_release: release.releasedAt > now,
    commit_path: `/${fullPath(project)}/-/commit/${release.tag}`,
    tag_path: `/${fullPath(project)}/-/tags/${release.tag}`,
    assets: {
      count: release.links.length,
      links: release.links.map((link) => ({
        ...link,
        direct_asset_url: link.url,
        external: false,
        link_type: 'package',
      })),
      evidence_file_path: '',
    },
  }) satisfies ShownRelease

export const packageJson = ({ id, name, version }: Package) =>
  ({
    id,
    name,
    version,
    package_type: 'generic',
    status: 'default',
    created_at: instant(0),
  }) satisfies PackageSchema

export const packageFileJson = (packageId: number, { id, name, bytes }: PackageFile) =>
  ({
    id,
    package_id: packageId,
    created_at: instant(0),
    file_name: name,
    size: bytes.length,
    file_md5: digestOf('md5', bytes),
    file_sha1: digestOf('sha1', bytes),
    file_sha256: digestOf('sha256', bytes),
  }) satisfies PackageFileSchema

const digestOf = (algorithm: 'md5' | 'sha1' | 'sha256', bytes: Uint8Array): string =>
  new Bun.CryptoHasher(algorithm).update(bytes).digest('hex')
