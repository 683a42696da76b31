import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
import type { ServerOptions } from '#src/lib/adapters/hosts/hosted/server.ts'
import { BranchName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { newDataDirectory } from '#tests/adapters/hosts/data-directory.ts'
import { git } from '#tests/adapters/hosts/open-local.ts'
import {
  AUTHOR,
  FRESH,
  type GitHostFixture,
  repositoryId,
  SEED,
  TEAM,
  value,
} from '#tests/contracts/git-host.ts'
import type { Flavour } from '#tests/peers/gitea/flavour.ts'
import type { Gitea } from '#tests/peers/gitea/gitea.ts'
import {
  ask,
  askUntil,
  type GiteaServer,
  openFakeServer,
  type Told,
} from '#tests/peers/gitea/server-under-test.ts'

/** Options of the adapter for this server. */
export const optionsFor = ({ url, token }: Pick<GiteaServer, 'url' | 'token'>) => ({
  url,
  token: { kind: 'text', text: token } as const,
  authority: null,
  authorityFile: null,
  dataDirectory: newDataDirectory(),
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
  } as const,
  pullRequests: { labels: [], reviewers: [] },
})

export interface GiteaFixture extends GitHostFixture {
  /** Runs git in a folder of its own, with the credentials. */
  git(args: readonly string[], stdin?: string): Promise<string>
  /** URL of the repository for git. */
  readonly remote: string
}

/** The adapter with a new repository on a server, removed afterwards. */
export async function openGitea(
  server: GiteaServer,
  more: Partial<ServerOptions> = {},
): Promise<GiteaFixture> {
  const host = createGitea({ ...optionsFor(server), ...more })
  const { organisation, url, token } = server
  const repository = repositoryId(organisation, `portico-${crypto.randomUUID()}`)
  const path = `/repos/${organisation}/${repository.name}`
  const remote = `${url}/${organisation}/${repository.name}.git`
  const scratch = await mkdtemp(join(tmpdir(), 'portico-gitea-'))
  /** Throws for an answer that is no success. */
  const require = async (method: string, below: string, body: object) => {
    const told = await ask(server, method, below, body)
    if (told.status >= 300) throw new Error(`${method} ${below}: ${told.status} ${told.text}`)
    return told
  }
  const basic = Buffer.from(`portico:${token}`).toString('base64')
  const runGit = (args: readonly string[], stdin = '') =>
    git(scratch, ['-c', `http.extraHeader=Authorization: Basic ${basic}`, ...args], stdin)
  await runGit(['init', '--quiet', '--bare'])
  const first = {
    description: 'd',
    team: TEAM,
    marker: repository.name,
    files: SEED,
  }
  value(
    await host.createRepository(repository, {
      ...first,
      message: 'Seed',
      author: AUTHOR,
    }),
  )

  return {
    host,
    repository,
    remote,
    git: runGit,
    async plant(branch, entries) {
      const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}"`
      const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
      const changes = entries.map((entry) =>
        entry.mode === '160000'
          ? `M 160000 ${entry.content} ${quote(entry.path)}\n`
          : `M ${entry.mode} inline ${quote(entry.path)}\n${data(entry.content)}`,
      )
      await runGit(
        ['fast-import', '--quiet', '--force'],
        `commit refs/heads/${branch}\ncommitter A <a@b> 1 +0000\n${data('planted')}${changes.join('')}\n`,
      )
      await runGit(['push', '--quiet', '--force', remote, `refs/heads/${branch}`])
    },
    async deleteBranch(branch) {
      await runGit(['push', '--quiet', remote, `:refs/heads/${branch}`])
    },
    async resetBranch(branch, commit) {
      await runGit(['fetch', '--quiet', remote, '+refs/heads/*:refs/remotes/host/*'])
      await runGit(['push', '--quiet', '--force', remote, `${commit}:refs/heads/${branch}`])
    },
    async mergePullRequest(number) {
      // 405 while Gitea computes whether it can be merged.
      const isChecked = (told: Told) => told.at('mergeable') === true
      await askUntil(isChecked, () => ask(server, 'GET', `${path}/pulls/${number}`))
      await require('POST', `${path}/pulls/${number}/merge`, { do: 'merge' })
    },
    async closePullRequest(number) {
      await require('PATCH', `${path}/pulls/${number}`, { state: 'closed' })
    },
    judge: null,
    lacks: [],
    async publishRelease({ tag, draft, prerelease, assets }) {
      const request = { tag_name: tag, name: tag, target_commitish: 'main', draft, prerelease }
      const release = await require('POST', `${path}/releases`, request)
      for (const { filename, bytes } of assets) {
        const form = new FormData()
        form.append('attachment', new Blob([new Uint8Array(bytes)]), filename)
        const id = String(release.at('id'))
        await require('POST', `${path}/releases/${id}/assets?name=${filename}`, form)
      }
    },
    async [Symbol.asyncDispose]() {
      await ask(server, 'DELETE', path)
      await ask(server, 'DELETE', `/repos/${organisation}/${FRESH}`)
      await rm(scratch, { recursive: true, force: true })
    },
  }
}

export interface FakeFixture extends GiteaFixture {
  readonly gitea: Gitea
  /** The server, for the actions of people. */
  readonly server: GiteaServer
}

/** The adapter with a new repository on a server of its own. */
export async function openFake(
  flavour?: Flavour,
  more: Partial<ServerOptions> = {},
): Promise<FakeFixture> {
  const server = await openFakeServer(flavour)
  const fixture = await openGitea(server, more)
  return {
    ...fixture,
    gitea: server.gitea,
    async judge(number, { checks, review, draft }) {
      const { owner, name } = fixture.repository
      const repository = server.gitea.state.repository(owner, name)
      const pull = repository?.pulls.find((each) => each.number === number)
      if (repository === undefined || pull === undefined) throw new Error('no pull request')
      const states = { passing: 'success', failing: 'failure', pending: 'pending' } as const
      if (checks && checks !== 'none') repository.statuses.set(pull.headCommit, states[checks])
      const reviews = { approved: 'APPROVED', changes_requested: 'REQUEST_CHANGES' } as const
      if (review === 'required') repository.requiredApprovals = 1
      else if (review && review !== 'none') {
        pull.reviews.push({ by: pull.author, state: reviews[review], official: true })
      }
      if (draft === true) pull.title = `WIP: ${pull.title}`
    },
    lacks: ['queued'],
    server,
    async [Symbol.asyncDispose]() {
      server.gitea.mend()
      await fixture[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
