import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGitLab } from '#src/lib/adapters/hosts/gitlab/index.ts'
import type { ServerOptions } from '#src/lib/adapters/hosts/hosted/server.ts'
import { BranchName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { type GitHostFixture, repositoryId, SEED } from '#tests/contracts/git-host.ts'
import { commitFiles, plantEntries } from '#tests/peers/forge/commit-files.ts'
import { type GitLab, startGitLab, TOKEN } from '#tests/peers/gitlab/gitlab.ts'
import { acceptMergeRequest } from '#tests/peers/gitlab/merging.ts'
import type { Project } from '#tests/peers/gitlab/state.ts'

/** Options of the adapter for this server. */
export const optionsFor = ({ url }: Pick<GitLab, 'url'>, token = TOKEN): ServerOptions => ({
  url,
  token: { kind: 'text', text: token },
  authority: null,
  authorityFile: null,
  dataDirectory: mkdtempSync(join(tmpdir(), 'portico-mirrors-')),
  clock: systemClock,
  log: { info() {}, warn() {}, error() {} },
  onRateLimit() {},
  publicOrigin: 'https://portico.example.org',
  signing: null,
  repositories: {
    visibility: 'private',
    defaultBranch: BranchName.of('main'),
    topics: [],
    teamPermission: null,
  },
  pullRequests: { labels: [], reviewers: [] },
})

export interface FakeFixture extends GitHostFixture {
  readonly gitlab: GitLab
  readonly project: Project
}

/** The adapter with a project in a group of a server of its own. */
export async function openFake(
  owner = 'acme',
  more: Partial<ServerOptions> = {},
): Promise<FakeFixture> {
  const gitlab = await startGitLab()
  const { state } = gitlab
  const group = state.namespace(owner)
  if (group === undefined) throw new Error(`no group ${owner}`)
  const project = await state.addProject(group, 'gitops')
  const { git } = project
  await commitFiles(project, 'main', SEED)
  await state.afterPush(project)
  const requestOf = (number: number) => {
    const request = project.mergeRequests.find(({ iid }) => iid === number)
    if (request === undefined) throw new Error(`no merge request ${number}`)
    return request
  }
  return {
    host: createGitLab({ ...optionsFor(gitlab), ...more }),
    repository: repositoryId(owner, 'gitops'),
    gitlab,
    project,
    async plant(branch, entries) {
      await plantEntries(project, branch, entries)
      await state.afterPush(project)
    },
    async deleteBranch(branch) {
      await git.updateReference(`refs/heads/${branch}`, null)
    },
    async resetBranch(branch, commit) {
      await git.updateReference(`refs/heads/${branch}`, commit)
      await state.afterPush(project)
    },
    mergePullRequest: (number) => acceptMergeRequest(state, project, requestOf(number)),
    async closePullRequest(number) {
      const request = requestOf(number)
      request.state = 'closed'
      request.closedAt = Date.now()
    },
    async judge(number, { checks, review, draft, queued }) {
      const request = requestOf(number)
      const statuses = { passing: 'success', failing: 'failed', pending: 'running' } as const
      if (checks && checks !== 'none') request.pipeline = statuses[checks]
      if (review === 'required') project.approvalsRequired = 1
      if (review === 'approved') request.approvedBy.push(state.addUser('reviewer'))
      request.changesRequested = review === 'changes_requested'
      if (draft === true) request.title = `Draft: ${request.title}`
      if (queued === true) project.train.push(request)
    },
    lacks: [],
    async publishRelease({ tag, draft, assets }) {
      const files = assets.map(({ filename, bytes }) => ({
        id: state.nextId(),
        name: filename,
        bytes,
      }))
      project.packages.push({ id: state.nextId(), name: 'cli', version: tag, files })
      project.releases.push({
        tag,
        // A release with a time to come is the only kind of draft.
        releasedAt: Date.now() + (draft ? 60 * 60_000 : 0),
        links: files.map(({ id, name }) => ({
          id,
          name: `The file ${name}`,
          url: `${gitlab.url}/api/v4/projects/${project.id}/packages/generic/cli/${tag}/${name}`,
        })),
      })
    },
    async [Symbol.asyncDispose]() {
      gitlab.mend()
      await gitlab[Symbol.asyncDispose]()
    },
  }
}
