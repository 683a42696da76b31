import { createGitHubClient } from '#src/lib/adapters/hosts/github/api/client.ts'
import { createGitHubGitHost } from '#src/lib/adapters/hosts/github/index.ts'
import { webUrlOf } from '#src/lib/adapters/hosts/github/kind.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import {
  AUTHOR,
  FRESH,
  type GitHostFixture,
  MAIN,
  repositoryId,
  SEED,
  TEAM,
  value,
} from '#tests/contracts/git-host.ts'
import { newDataDirectory } from '#tests/adapters/hosts/data-directory.ts'
import { silentLog } from './silent-log.ts'
import { memoryTurns } from '#tests/support/write-turns.ts'

/** A GitHub with an owner of repositories that tests make and remove. */
export interface GitHubServer {
  /** Root of the API, without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly owner: string
}

const variables = [
  'PORTICO_PEER_GITHUB_URL',
  'PORTICO_PEER_GITHUB_TOKEN',
  'PORTICO_PEER_GITHUB_OWNER',
]
/** GitHub computes in the background whether a pull request can be merged. */
const MERGE_ATTEMPTS_MAX = 20
const MERGE_PAUSE_MS = 500
const MODE_SUBMODULE = '160000'

/** The server that the environment names. Says so when there is none. */
export function realGitHub(): GitHubServer | undefined {
  const [url, token, owner] = variables.map((name) => Bun.env[name])
  if (url !== undefined && token !== undefined && owner !== undefined) {
    return { url: url.replace(/\/+$/, ''), token, owner }
  }
  console.warn(`SKIPPED: tests against a real GitHub; ${variables.join(', ')} name one`)
  return undefined
}

type Json = Readonly<Record<string, unknown>>

/** One call. Throws for an answer that is no success, unless its status is expected. */
async function ask(
  { url, token }: Pick<GitHubServer, 'url' | 'token'>,
  method: string,
  path: string,
  body?: object,
  expected: readonly number[] = [],
): Promise<{ readonly status: number; readonly json: Json }> {
  const isBytes = body instanceof Uint8Array
  const response = await fetch(/^https?:/.test(path) ? path : `${url}${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'portico-tests',
      'x-github-api-version': '2022-11-28',
      ...(isBytes && { 'content-type': 'application/octet-stream' }),
    },
    ...(body !== undefined && {
      body: isBytes ? new Blob([Uint8Array.from(body)]) : JSON.stringify(body),
    }),
  })
  const text = await response.text()
  if (!response.ok && !expected.includes(response.status)) {
    throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
  }
  return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Json) }
}

/** The adapter with a new repository on a real GitHub, removed afterwards. Its extra actions are calls of the REST API. */
export async function openRealGitHub(server: GitHubServer): Promise<GitHostFixture> {
  const repository = repositoryId(server.owner, `portico-${crypto.randomUUID()}`)
  const path = `/repos/${repository.owner}/${repository.name}`
  const means = { clock: systemClock, log: silentLog }
  const host = createGitHubGitHost({
    ...means,
    pagesUrl: webUrlOf(server.url),
    webUrl: webUrlOf(server.url),
    publicOrigin: 'https://portico.test',
    signing: null,
    authorityFile: null,
    dataDirectory: newDataDirectory(),
    commitAuthor: 'person',
    client: createGitHubClient({
      apiUrl: server.url,
      access: { kind: 'token', token: { kind: 'text', text: server.token } },
      authority: null,
      onRateLimit() {},
      writeTurns: memoryTurns,
      ...means,
    }),
    repositories: {
      visibility: 'private',
      topics: [],
      defaultBranch: MAIN,
      teamPermission: null,
    },
    pullRequests: { labels: [], reviewers: [] },
  })
  const call = (method: string, rest: string, body?: object, expected?: readonly number[]) =>
    ask(server, method, `${path}${rest}`, body, expected)
  const post = async (rest: string, body: object) => (await call('POST', rest, body)).json
  const first = { description: 'd', team: TEAM, marker: repository.name, files: SEED }
  value(await host.createRepository(repository, { ...first, message: 'Seed', author: AUTHOR }))

  const moveBranch = async (branch: string, sha: string) => {
    const move = { sha, force: true }
    const { status } = await call('PATCH', `/git/refs/heads/${branch}`, move, [404, 422])
    if (status >= 400) await post('/git/refs', { ref: `refs/heads/${branch}`, sha })
  }
  return {
    host,
    repository,
    async plant(branch, entries) {
      const tree = await post('/git/trees', {
        tree: entries.map((entry) => {
          const { path: file, mode, content } = entry
          return mode === MODE_SUBMODULE
            ? { path: file, mode, type: 'commit', sha: content }
            : { path: file, mode, type: 'blob', content }
        }),
      })
      const commit = { message: 'planted', tree: tree['sha'], parents: [] }
      await moveBranch(branch, String((await post('/git/commits', commit))['sha']))
    },
    async deleteBranch(branch) {
      await call('DELETE', `/git/refs/heads/${branch}`)
    },
    resetBranch: moveBranch,
    async mergePullRequest(number) {
      for (let attempt = 0; attempt < MERGE_ATTEMPTS_MAX; attempt += 1) {
        const merge = { merge_method: 'merge' }
        const { status } = await call('PUT', `/pulls/${number}/merge`, merge, [405, 409])
        if (status === 200) return
        await Bun.sleep(MERGE_PAUSE_MS)
      }
      throw new Error(`pull request ${number} does not merge`)
    },
    judge: null,
    lacks: [],
    async closePullRequest(number) {
      await call('PATCH', `/pulls/${number}`, { state: 'closed' })
    },
    async publishRelease({ tag, draft, prerelease, assets }) {
      const request = { tag_name: tag, name: tag, target_commitish: MAIN, draft, prerelease }
      const release = await post('/releases', request)
      const upload = String(release['upload_url']).replace(/\{.*$/, '')
      for (const { filename, bytes } of assets) {
        await ask(server, 'POST', `${upload}?name=${encodeURIComponent(filename)}`, bytes)
      }
    },
    async [Symbol.asyncDispose]() {
      await call('DELETE', '', undefined, [404])
      await ask(server, 'DELETE', `/repos/${server.owner}/${FRESH}`, undefined, [404])
    },
  }
}
