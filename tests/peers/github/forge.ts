import { countCommits, type Forge, readBranch, signedPush } from '#tests/peers/forge/forge.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { addAccount } from './calls/accounts.ts'
import { startGitHub } from './github.ts'
import { mergePullRequest } from './pull-requests.ts'
import { seedRepository } from './seed.ts'
import type { Repository } from './state.ts'

const TOKEN = 'ghp_portico'
const written = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) }))

export async function openGitHubForge(): Promise<Forge> {
  const github = await startGitHub()
  const { state } = github
  github.addCredential(TOKEN, { account: addAccount(state, 'portico', 'User') })
  const person = addAccount(state, 'grace', 'User')
  const repositoryOf = (name: string): Repository => {
    const repository = state.repositories.get(`acme/${name}`)
    if (repository === undefined) throw new Error(`no repository ${name}`)
    return repository
  }
  return {
    settings: { GIT_HOST: 'github', GITHUB_API_URL: github.apiUrl, GITHUB_TOKEN: TOKEN },
    delivery: (secret, repository) => signedPush('x-github-event', secret, repository),
    async create(name, files) {
      await seedRepository(github, 'acme', name, written(files))
    },
    async push(name, files) {
      await commitFiles(repositoryOf(name), 'main', written(files))
    },
    async merge(name, number) {
      const repository = repositoryOf(name)
      const pull = repository.pulls.get(number)
      if (pull === undefined) throw new Error(`no pull request ${number}`)
      await mergePullRequest(state, repository, pull, person, 'squash')
    },
    files: (name, branch = 'main') => readBranch(repositoryOf(name).git, branch),
    commits: (name) => countCommits(repositoryOf(name).git, 'main'),
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  }
}
