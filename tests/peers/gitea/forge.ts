import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { countCommits, type Forge, readBranch, signedPush } from '#tests/peers/forge/forge.ts'
import { startGitea, TOKEN } from './gitea.ts'
import { ask } from './server-under-test.ts'
import { afterPush } from './move-branch.ts'
import type { Repository } from './state.ts'

export async function openGiteaForge(): Promise<Forge> {
  const gitea = await startGitea()
  const { state, url } = gitea
  const repositoryOf = (name: string): Repository => {
    const repository = state.repository('acme', name)
    if (repository === undefined) throw new Error(`no repository ${name}`)
    return repository
  }
  const push = async (name: string, files: Readonly<Record<string, string>>) => {
    const repository = repositoryOf(name)
    const written = Object.entries(files).map(([path, text]) => ({
      path,
      bytes: Buffer.from(text),
    }))
    await commitFiles(repository, 'main', written)
    await afterPush(state, repository)
  }
  return {
    settings: { GIT_HOST: 'gitea', GITEA_URL: url, GITEA_TOKEN: TOKEN },
    delivery: (secret, repository) => signedPush('x-gitea-event', secret, repository),
    async create(name, files) {
      const owner = state.account('acme')
      if (owner === undefined) throw new Error('no organization')
      const facts = { name, description: name, isPrivate: true, defaultBranch: 'main' }
      await state.addRepository(owner, facts)
      await push(name, files)
    },
    push,
    async merge(name, pullRequest) {
      const path = `/repos/acme/${name}/pulls/${pullRequest}/merge`
      const told = await ask({ url, token: TOKEN }, 'POST', path, { do: 'merge' })
      if (told.status !== 200) throw new Error(`not merged: ${told.text}`)
    },
    files: (name, branch = 'main') => readBranch(repositoryOf(name).git, branch),
    commits: (name) => countCommits(repositoryOf(name).git, 'main'),
    [Symbol.asyncDispose]: () => gitea[Symbol.asyncDispose](),
  }
}
