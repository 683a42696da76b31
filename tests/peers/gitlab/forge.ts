import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { countCommits, type Forge, readBranch } from '#tests/peers/forge/forge.ts'
import { startGitLab, TOKEN } from './gitlab.ts'
import { acceptMergeRequest } from './merging.ts'
import type { Project } from './state.ts'

export async function openGitLabForge(): Promise<Forge> {
  const gitlab = await startGitLab()
  const { state, url } = gitlab
  const projectOf = (name: string): Project => {
    const project = state.project(`acme/${name}`)
    if (project === undefined) throw new Error(`no project ${name}`)
    return project
  }
  const push = async (name: string, files: Readonly<Record<string, string>>) => {
    const project = projectOf(name)
    const written = Object.entries(files).map(([path, text]) => ({
      path,
      bytes: Buffer.from(text),
    }))
    await commitFiles(project, 'main', written)
    await state.afterPush(project)
  }
  return {
    settings: { GIT_HOST: 'gitlab', GITLAB_URL: url, GITLAB_TOKEN: TOKEN },
    delivery: (secret, repository) => ({
      headers: {
        'content-type': 'application/json',
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-token': secret,
      },
      body: JSON.stringify({
        object_kind: 'push',
        ref: 'refs/heads/main',
        project: { path_with_namespace: repository, default_branch: 'main' },
      }),
    }),
    async create(name, files) {
      const group = state.namespace('acme')
      if (group === undefined) throw new Error('no group')
      await state.addProject(group, name)
      await push(name, files)
    },
    push,
    async merge(name, pullRequest) {
      const project = projectOf(name)
      const request = project.mergeRequests.find(({ iid }) => iid === pullRequest)
      if (request === undefined) throw new Error(`no merge request ${pullRequest}`)
      await acceptMergeRequest(state, project, request)
    },
    files: (name, branch = 'main') => readBranch(projectOf(name).git, branch),
    commits: (name) => countCommits(projectOf(name).git, 'main'),
    [Symbol.asyncDispose]: () => gitlab[Symbol.asyncDispose](),
  }
}
