import { createGitHubClient } from '#src/lib/adapters/git-host/github/client.ts'
import { createGitHubGitHost, type GitHubOptions } from '#src/lib/adapters/git-host/github/index.ts'
import { BranchName } from '#src/lib/names.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { silentLog } from '#tests/adapters/git-host/github/silent-log.ts'
import { type GitHostFixture, repositoryId, SEED } from '#tests/contracts/git-host.ts'
import { addAccount } from '#tests/peers/github/calls/accounts.ts'
import {
  type GitHub,
  type GitHubOptions as PeerOptions,
  startGitHub,
} from '#tests/peers/github/github.ts'
import { close, mergePullRequest, refresh } from '#tests/peers/github/pull-requests.ts'
import { publishRelease } from '#tests/peers/github/releases.ts'
import { plantEntries, seedRepository } from '#tests/peers/github/seed.ts'
import type { Repository } from '#tests/peers/github/state.ts'

const TOKEN = 'ghp_test'

export interface GitHubFixture extends GitHostFixture {
  readonly github: GitHub
  /** The repository on the server. */
  readonly seeded: Repository
  /** Another process with the adapter. */
  another(more?: Partial<GitHubOptions>): GitHost
}

export interface OpenOptions {
  readonly peer?: PeerOptions
  readonly repositories?: Partial<GitHubOptions['repositories']>
  readonly pullRequests?: Partial<GitHubOptions['pullRequests']>
  readonly deadlineMs?: number
}

/** The adapter with a seeded repository on a GitHub of its own, which checks all requests and its answers. */
export async function openGitHub({
  peer,
  repositories,
  pullRequests,
  deadlineMs,
}: OpenOptions = {}): Promise<GitHubFixture> {
  const github = await startGitHub(peer)
  const { state } = github
  const account = addAccount(state, 'portico', 'User')
  github.addCredential(TOKEN, { account })
  const seeded = await seedRepository(github, 'acme', 'gitops', SEED)
  const another = (more: Partial<GitHubOptions> = {}) =>
    createGitHubGitHost({
      client: createGitHubClient({
        apiUrl: github.apiUrl,
        access: { kind: 'token', source: { kind: 'text', token: TOKEN } },
        authority: null,
        clock: { now: peer?.now ?? Date.now },
        log: silentLog,
        onRateLimit() {},
        ...(deadlineMs !== undefined && { deadlineMs }),
      }),
      clock: { now: peer?.now ?? Date.now },
      log: silentLog,
      repositories: {
        publicOrigin: 'https://portico.example.org',
        visibility: 'private',
        topics: [],
        defaultBranch: BranchName.of('main'),
        teamPermission: null,
        commitAuthor: 'person',
        ...repositories,
      },
      pullRequests: { labels: [], reviewers: [], ...pullRequests },
      ...more,
    })

  const pullAt = async (number: number) => {
    const pull = seeded.pulls.get(number)
    if (pull === undefined) throw new Error(`no pull request ${number}`)
    await refresh(state, seeded, pull)
    return pull
  }
  return {
    github,
    seeded,
    another,
    host: another(),
    repository: repositoryId('acme', 'gitops'),
    plant: (branch, entries) => plantEntries(seeded, branch, entries),
    async deleteBranch(branch) {
      // An open pull request ends with its branch, and keeps the last commit.
      for (const pull of seeded.pulls.values()) await refresh(state, seeded, pull)
      await seeded.git.updateReference(`refs/heads/${branch}`, null)
    },
    resetBranch: (branch, commit) => seeded.git.updateReference(`refs/heads/${branch}`, commit),
    async mergePullRequest(number) {
      await mergePullRequest(state, seeded, await pullAt(number), account, 'merge')
    },
    async closePullRequest(number) {
      close(state, await pullAt(number))
    },
    publishRelease(release) {
      publishRelease(state, seeded, account, release)
      return Promise.resolve()
    },
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  }
}
