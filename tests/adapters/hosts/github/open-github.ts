import { newDataDirectory } from '#tests/adapters/hosts/data-directory.ts'
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import { createGitHubClient, type GitHubAccess } from '#src/lib/adapters/hosts/github/api/client.ts'
import { createGitHubGitHost, type GitHubOptions } from '#src/lib/adapters/hosts/github/index.ts'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import { BranchName, type ObjectId } from '#src/lib/names.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { type GitHostFixture, oid, repositoryId, SEED } from '#tests/contracts/git-host.ts'
import { addAccount } from '#tests/peers/github/calls/accounts.ts'
import {
  type GitHub,
  type GitHubOptions as PeerOptions,
  startGitHub,
} from '#tests/peers/github/github.ts'
import {
  close,
  mergePullRequest,
  type MergeMethod,
  refresh,
} from '#tests/peers/github/pull-requests.ts'
import { publishRelease } from '#tests/peers/github/releases.ts'
import { plantEntries } from '#tests/peers/forge/commit-files.ts'
import { seedRepository } from '#tests/peers/github/seed.ts'
import { EVERY_RIGHT, type Repository } from '#tests/peers/github/state.ts'
import { unpaced } from '#tests/support/write-turns.ts'

export const TOKEN = 'ghp_test'
const INSTALLATION_ID = 42
const APP_ID = 7

export interface GitHubFixture extends GitHostFixture {
  readonly github: GitHub
  /** The repository on the server. */
  readonly seeded: Repository
  /** Another process with the adapter. */
  another(more?: Partial<GitHubOptions>): GitHost
  /** The commit of `SEED`. */
  readonly seed: ObjectId
  merge(number: number, method: MergeMethod): Promise<void>
}

export interface OpenOptions {
  readonly peer?: PeerOptions
  readonly access?: GitHubAccess['kind']
  readonly repositories?: Partial<GitHubOptions['repositories']>
  readonly replicationWaitsMs?: readonly number[]
  readonly pullRequests?: Partial<GitHubOptions['pullRequests']>
  readonly deadlineMs?: number
  readonly commitAuthor?: GitHubOptions['commitAuthor']
}

/** A key of an App, made once: that takes longer than a test. */
const appKey = lazily(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  return { privateKey: await exportPKCS8(privateKey), publicKey: await exportSPKI(publicKey) }
})

async function accessTo(github: GitHub, kind: GitHubAccess['kind']): Promise<GitHubAccess> {
  const { state } = github
  if (kind === 'token') {
    github.addCredential(TOKEN, { account: addAccount(state, 'portico', 'User') })
    return { kind, token: { kind: 'text', text: TOKEN } }
  }
  const { privateKey, publicKey } = await appKey()
  state.installations.set(INSTALLATION_ID, {
    id: INSTALLATION_ID,
    appId: APP_ID,
    publicKey,
    account: addAccount(state, 'acme', 'Organization'),
    rights: EVERY_RIGHT,
    repositories: 'all',
    suspended: false,
  })
  return { kind, app: { appId: String(APP_ID), privateKey, installationId: INSTALLATION_ID } }
}

/** The adapter with a seeded repository on a GitHub of its own, which checks all requests and its answers. */
export async function openGitHub({
  peer,
  access: kind = 'token',
  repositories,
  replicationWaitsMs,
  pullRequests,
  deadlineMs,
  commitAuthor = 'person',
}: OpenOptions = {}): Promise<GitHubFixture> {
  const github = await startGitHub({ ...peer, behaviour: { emptyCalls: 0, ...peer?.behaviour } })
  const { state } = github
  const account = addAccount(state, 'ada', 'User')
  const access = await accessTo(github, kind)
  state.teams.add('acme/payments')
  const seeded = await seedRepository(github, 'acme', 'gitops', SEED)
  const another = (more: Partial<GitHubOptions> = {}) =>
    createGitHubGitHost({
      pagesUrl: github.webUrl,
      webUrl: github.gitUrl,
      publicOrigin: 'https://portico.example.org',
      signing: null,
      ...(replicationWaitsMs && { replicationWaitsMs }),
      authorityFile: null,
      commitAuthor,
      dataDirectory: newDataDirectory(),
      client: createGitHubClient({
        ...unpaced,
        apiUrl: github.apiUrl,
        access,
        authority: null,
        clock: { now: peer?.now ?? Date.now },
        log: silentLog,
        onRateLimit() {},
        ...(deadlineMs !== undefined && { deadlineMs }),
      }),
      clock: { now: peer?.now ?? Date.now },
      log: silentLog,
      repositories: {
        visibility: 'private',
        topics: [],
        defaultBranch: BranchName.of('main'),
        teamPermission: null,
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
  const merge = async (number: number, method: MergeMethod) =>
    await mergePullRequest(state, seeded, await pullAt(number), account, method)

  return {
    github,
    seeded,
    another,
    seed: oid((await seeded.git.reference('refs/heads/main')) ?? ''),
    host: another(),
    merge,
    repository: repositoryId('acme', 'gitops'),
    plant: (branch, entries) => plantEntries(seeded, branch, entries),
    async deleteBranch(branch) {
      // An open pull request ends with its branch, and keeps the last commit.
      for (const pull of seeded.pulls.values()) await refresh(state, seeded, pull)
      await seeded.git.updateReference(`refs/heads/${branch}`, null)
    },
    resetBranch: (branch, commit) => seeded.git.updateReference(`refs/heads/${branch}`, commit),
    mergePullRequest: (number) => merge(number, 'merge'),
    async closePullRequest(number) {
      close(state, await pullAt(number))
    },
    async judge(number, { checks, review, draft, queued }) {
      const pull = await pullAt(number)
      const states = { passing: 'SUCCESS', failing: 'FAILURE', pending: 'PENDING' } as const
      if (checks && checks !== 'none') seeded.statuses.set(pull.headCommit, states[checks])
      const reviews = { approved: 'APPROVED', changes_requested: 'CHANGES_REQUESTED' } as const
      if (review === 'required') seeded.requiredReviews = 1
      else if (review && review !== 'none') {
        pull.reviews.push({ by: account, state: reviews[review] })
      }
      pull.draft = draft ?? pull.draft
      pull.isQueued = queued ?? pull.isQueued
    },
    lacks: [],
    async publishRelease(release) {
      publishRelease(state, seeded, account, release)
      // GitHub makes the tag of a release that is no draft.
      const main = await seeded.git.reference('refs/heads/main')
      if (!release.draft && main !== undefined) {
        await seeded.git.updateReference(`refs/tags/${release.tag}`, main)
      }
    },
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  }
}
