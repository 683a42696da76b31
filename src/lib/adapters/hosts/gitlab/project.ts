import { Type } from 'typebox'
import { type BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import { ok } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader, Maybe } from '../hosted/api/answer-reader.ts'
import type { BranchApi } from '../hosted/branches.ts'
import { nameOf, type RepositoryApi } from '../hosted/known-repositories.ts'

export const API = '/api/v4'

/** GitLab takes a full path as one segment. */
export const segment = (path: string): string => encodeURIComponent(path)

export const projectPath = (repository: RepositoryId): string =>
  `/projects/${segment(nameOf(repository))}`

const readProject = answerReader(
  'a project',
  Type.Object({
    id: Type.Integer({ minimum: 1 }),
    path_with_namespace: Type.String(),
    web_url: Type.String(),
    http_url_to_repo: Type.Optional(Type.String()),
    description: Maybe(Type.String()),
    /** `null` without a commit. */
    default_branch: Maybe(Type.String()),
    archived: Type.Optional(Type.Boolean()),
    visibility: Type.Optional(Type.String()),
    empty_repo: Type.Optional(Type.Boolean()),
    created_at: Maybe(Type.String()),
  }),
)

const readBranch = answerReader(
  'a branch',
  Type.Object({ name: Type.String(), commit: Type.Object({ id: named(ObjectId) }) }),
)

/** A project has no homepage: the mark of a complete one is a link at the end of its description. */
const MARK = /\s*\[Made by Portico\]\((\S+)\)\s*$/

export const markedDescription = (description: string, homepage: string): string =>
  `${description}\n\n[Made by Portico](${homepage})`.trim()

/** `defaultBranch`: of a project that has none. */
export const projectApi = (defaultBranch: BranchName): RepositoryApi => ({
  pathOf: projectPath,
  read(answer) {
    const read = readProject(answer)
    if (!read.ok) return read
    const { path_with_namespace, web_url, http_url_to_repo, description, ...project } = read.value
    return ok({
      ...project,
      full_name: path_with_namespace,
      default_branch: project.default_branch ?? defaultBranch,
      html_url: web_url,
      ...(http_url_to_repo !== undefined && { clone_url: http_url_to_repo }),
      description: (description ?? '').replace(MARK, ''),
      homepage: MARK.exec(description ?? '')?.[1] ?? '',
      ...(project.empty_repo !== undefined && { empty: project.empty_repo }),
    })
  },
})

export const branchApi: BranchApi = {
  pathOf: (repository, branch) =>
    `${projectPath(repository)}/repository/branches/${segment(branch)}`,
  read(answer, branch) {
    const read = readBranch(answer)
    if (!read.ok) return read
    return ok(read.value.name === branch ? read.value.commit.id : null)
  },
}
