import type {
  BranchSchema,
  CondensedGroupSchema,
  MergeRequestLevelMergeRequestApprovalSchema,
  MergeRequestSchema,
  NamespaceSchema,
  PackageFileSchema,
  PackageSchema,
  PipelineSchema,
  ProjectSchema,
  ReleaseSchema,
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

const instant = (milliseconds: number) => new Date(milliseconds).toISOString()
const instantOrNull = (milliseconds: number | null | undefined) =>
  milliseconds === null || milliseconds === undefined ? null : instant(milliseconds)

/** Answers have the members that Portico or its tests read. */
export const userJson = ({ id, username }: User) =>
  ({ id, username, name: username }) satisfies Pick<SimpleUserSchema, 'id' | 'username' | 'name'>

export const namespaceJson = ({ id, path, kind }: Namespace) =>
  ({ id, kind, full_path: path }) satisfies Pick<NamespaceSchema, 'id' | 'kind' | 'full_path'>

export const groupJson = ({ id, path }: Namespace) =>
  ({ id, full_path: path }) satisfies Pick<CondensedGroupSchema, 'id'> & { full_path: string }

/** The types of the client say that there always is a default branch; a project without a commit has none. */
export function projectJson({ url }: State, project: Project) {
  const path = fullPath(project)
  return {
    id: project.id,
    description: project.description,
    path: project.path,
    path_with_namespace: path,
    created_at: instant(project.createdAt),
    default_branch: project.defaultBranch,
    topics: [...project.topics],
    http_url_to_repo: `${url}/${path}.git`,
    web_url: `${url}/${path}`,
    visibility: project.visibility,
    empty_repo: project.defaultBranch === null,
    archived: project.archived,
  } satisfies Partial<Omit<ProjectSchema, 'default_branch'>> & { default_branch: string | null }
}

export const branchJson = (
  project: Project,
  { name, commit, canPush }: { name: string; commit: Commit; canPush: boolean },
) =>
  ({
    name,
    protected: project.protections.has(name),
    can_push: canPush,
    commit: { id: commit.id },
  }) satisfies Pick<BranchSchema, 'name' | 'protected' | 'can_push'> & {
    commit: Pick<BranchSchema['commit'], 'id'>
  }

export type Check = 'unchecked' | 'clean' | 'conflict' | 'closed'

type ShownMergeRequest = Omit<Partial<MergeRequestSchema>, 'detailed_merge_status' | 'author'> & {
  // The types of the client lack newer states, such as `conflict`.
  readonly detailed_merge_status:
    MergeRequestSchema['detailed_merge_status'] | 'conflict' | 'requested_changes'
}

export function mergeRequestJson(
  state: State,
  project: Project,
  request: MergeRequest,
  check: Check,
) {
  const { merged, iid } = request
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
    merge_user: merged && userJson(merged.by),
    merged_at: instantOrNull(merged?.at),
    closed_at: merged === null ? instantOrNull(request.closedAt) : null,
    target_branch: request.target,
    source_branch: request.source,
    author: userJson(request.author),
    reviewers: request.reviewers.map(userJson),
    source_project_id: request.sourceProject,
    target_project_id: project.id,
    labels: [...request.labels],
    draft,
    merge_status: mergeStatus,
    detailed_merge_status: detailed,
    sha: request.sha,
    merge_commit_sha: merged?.merge ?? null,
    squash_commit_sha: merged?.squash ?? null,
    web_url: `${state.url}/${fullPath(project)}/-/merge_requests/${iid}`,
    has_conflicts: check === 'conflict',
  } satisfies ShownMergeRequest
}

/** `Gitlab::Regex.merge_request_draft`. */
const isDraft = ({ title }: MergeRequest) => /^(?:Draft:|\[Draft\]|\(Draft\))/i.test(title)

const approvalsLeft = ({ approvalsRequired }: Project, { approvedBy }: MergeRequest) =>
  Math.max(0, approvalsRequired - approvedBy.length)

export const headPipelineJson = ({ pipeline }: MergeRequest) =>
  pipeline && ({ status: pipeline } satisfies Pick<PipelineSchema, 'status'>)

export const approvalsJson = (project: Project, request: MergeRequest) =>
  ({
    approvals_required: project.approvalsRequired,
    approvals_left: approvalsLeft(project, request),
    approved_by: request.approvedBy.map((user) => ({ user: userJson(user) })),
  }) satisfies Partial<Omit<MergeRequestLevelMergeRequestApprovalSchema, 'approved_by'>>

export const carJson = ({ iid }: MergeRequest) => ({ merge_request: { iid }, status: 'fresh' })

export const releaseJson = ({ tag, releasedAt, links }: Release, now: number) =>
  ({
    tag_name: tag,
    name: tag,
    description: '',
    released_at: instant(releasedAt),
    upcoming_release: releasedAt > now,
    assets: {
      count: links.length,
      links: links.map((link) => ({ ...link, direct_asset_url: link.url })),
    },
  }) satisfies Partial<Omit<ReleaseSchema, 'assets'>> & { assets: object }

export const packageJson = ({ id, name, version }: Package) =>
  ({ id, name, version }) satisfies Partial<PackageSchema>

export const packageFileJson = ({ id, name, bytes }: PackageFile) =>
  ({
    id,
    file_name: name,
    size: bytes.length,
    file_sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
  }) satisfies Partial<PackageFileSchema>
