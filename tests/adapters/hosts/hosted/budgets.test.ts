import { describe, expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectId, RepositoryId } from '#src/lib/names.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { newDataDirectory } from '#tests/adapters/hosts/data-directory.ts'
import {
  AUTHOR,
  branch,
  BYTES_MAX,
  bytes,
  MAIN,
  path,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { GIT_HOSTS, type HostedFixture } from './git-hosts.ts'

const ENTITIES = 2_000
const FETCH = ['git-advertise', 'git-upload-pack']
/** Of what the first fetch left out, in the background. */
const HISTORY = FETCH
const PUSH = ['git-advertise', 'git-receive-pack']

/** Requests of each act, to the API and of git. */
const REQUESTS = {
  GitHub: {
    'the first load of 2,000 files': [
      ['repos/get', 'git/get-ref'],
      [...FETCH, ...HISTORY],
    ],
    'a catalog that is unchanged': [['git/get-ref'], []],
    'one changed file': [['git/get-ref'], FETCH],
    'a commit on a new branch, and its pull request': [
      ['git/get-ref', 'pulls/list', 'pulls/create'],
      PUSH,
    ],
    'a new repository': [['repos/get', 'repos/create-in-org', 'repos/update'], PUSH],
  },
  Gitea: {
    'the first load of 2,000 files': [
      ['repoGet', 'repoListGitRefs'],
      [...FETCH, ...HISTORY],
    ],
    'a catalog that is unchanged': [['repoListGitRefs'], []],
    'one changed file': [['repoListGitRefs'], FETCH],
    'a commit on a new branch, and its pull request': [
      [
        'repoListGitRefs',
        'repoListPullRequests',
        // Gitea opens pull requests without changes.
        'repoListGitRefs',
        'repoListGitRefs',
        'repoCreatePullRequest',
      ],
      PUSH,
    ],
    'a new repository': [['repoGet', 'createOrgRepo', 'repoGet', 'repoEdit'], PUSH],
  },
} as const

/** What the catalog asks for: the head, and the files that changed since. Resolves to their number. */
function createCatalog(host: GitHost, repository: RepositoryId) {
  let loaded: ObjectId | null = null
  const known = new Set<ObjectId>()
  return async (): Promise<number> => {
    const { commit } = value(await host.head(repository))
    if (commit === loaded) return 0
    const at = { commit, directory: path('catalog') }
    const { files } = value(await host.listFiles(repository, at))
    const missing = files.filter(({ blob }) => !known.has(blob))
    for await (const read of host.readFiles(repository, commit, missing, BYTES_MAX)) {
      known.add(value(read).blob)
    }
    loaded = commit
    return missing.length
  }
}

async function propose(host: GitHost, { repository }: HostedFixture): Promise<void> {
  const { commit: parent } = value(await host.head(repository))
  const head = branch('promote/shop/staging')
  value(
    await host.commit(repository, {
      branch: head,
      from: { kind: 'create', parent },
      changes: [write('apps/shop/staging.yaml', 'replicas: 2\n')],
      message: 'Promote shop',
      author: AUTHOR,
    }),
  )
  const draft = { head, base: MAIN, title: 't', body: 'b', author: AUTHOR }
  value(await host.openPullRequest(repository, draft))
}

const isThere = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )

describe.each(GIT_HOSTS)('requests to %s', (name, open) => {
  test('for each act', async () => {
    await using fixture = await open()
    const { repository, bare, arrivals, gitArrivals } = fixture
    const seeds = Array.from({ length: ENTITIES }, (_, index) => {
      const content = `name: entity-${index}\n`
      return `M 100644 inline catalog/team-${index % 100}/entity-${index}.yaml\ndata ${content.length}\n${content}\n`
    })
    const header = 'commit refs/heads/main\ncommitter A <a@b> 1 +0000\ndata 4\nmany\n'
    await bare.git(
      ['fast-import', '--quiet', '--force'],
      `${header}from refs/heads/main^0\n${seeds.join('')}\n`,
    )
    const dataDirectory = newDataDirectory()
    const host = fixture.another({ dataDirectory })
    const load = createCatalog(host, repository)
    const made: Record<string, unknown> = {}
    const during = async <Value>(act: string, run: () => Promise<Value>): Promise<Value> => {
      const outcome = await run()
      made[act] = [
        arrivals.splice(0).map(({ name }) => name),
        gitArrivals.splice(0).map(({ name }) => name),
      ]
      return outcome
    }
    const mirror = join(dataDirectory, 'mirrors', repository.owner, `${repository.name}.git`)

    arrivals.splice(0)
    gitArrivals.splice(0)
    const loaded = await during('the first load of 2,000 files', async () => {
      const files = await load()
      while (await isThere(join(mirror, 'shallow'))) await Bun.sleep(10)
      return files
    })
    expect(loaded).toBe(ENTITIES + 2)
    expect(await during('a catalog that is unchanged', load)).toBe(0)
    const changed = { path: 'catalog/team-1/entity-1.yaml', bytes: bytes('name: changed\n') }
    await commitFiles({ git: bare }, 'main', [changed])
    expect(await during('one changed file', load)).toBe(1)
    await during('a commit on a new branch, and its pull request', () => propose(host, fixture))
    await during('a new repository', async () =>
      value(
        await host.createRepository(repositoryId('acme', 'fresh'), {
          description: 'Fresh',
          marker: 'run-1',
          files: Array.from({ length: 30 }, (_, index) => write(`src/${index}.ts`, `${index}\n`)),
          message: 'Initial commit',
          author: AUTHOR,
          team: TEAM,
        }),
      ),
    )
    expect(made).toStrictEqual(REQUESTS[name])
  })
})
