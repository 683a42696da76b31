/**
 * Requests, times and bytes of the GitHub adapter against the fake GitHub, with round trips of 0 and 80 ms. Requests are those of the API,
 * which GitHub counts unless it answers 304, and those of git, which it does not.
 * `bun bench/git-host.ts [entities]`
 */
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { openGitHub } from '#tests/adapters/hosts/github/open-github.ts'
import {
  AUTHOR,
  branch,
  bytes,
  MAIN,
  path,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { row } from './support/row.ts'

const ENTITIES = Number(process.argv[2] ?? 10_000)
const ROUND_TRIPS_MS = [0, 80]
const CATALOG = path('catalog')
const MAX_BYTES = 1_000_000

await using fixture = await openGitHub({ peer: { isChecked: false } })
const { github, repository, seeded } = fixture
const entity = (index: number, version = 1) => ({
  path: `catalog/team-${index % 100}/app-${index}.yaml`,
  bytes: bytes(`kind: Component\nmetadata:\n  name: app-${index}\nspec:\n  version: ${version}\n`),
})
await commitFiles(
  seeded,
  'main',
  Array.from({ length: ENTITIES }, (_, index) => entity(index)),
)
await seeded.git.git(['repack', '-a', '-d', '-q'])

async function measured(label: string, act: () => Promise<void>): Promise<void> {
  const before = github.arrivals.length
  const gitBefore = github.gitArrivals.length
  const since = performance.now()
  await act()
  const tookMs = performance.now() - since
  const api = github.arrivals.length - before
  row(label, `${api} + ${github.gitArrivals.length - gitBefore}`, `${tookMs.toFixed(0)} ms`)
}

async function load(host: GitHost, kept: Set<string>): Promise<void> {
  const { commit } = value(await host.head(repository))
  const { files } = value(await host.listFiles(repository, { commit, directory: CATALOG }))
  const fresh = files.filter(({ blob }) => !kept.has(blob))
  let read = 0
  for await (const file of host.readFiles(repository, commit, fresh, MAX_BYTES)) {
    kept.add(value(file).blob)
    read += 1
  }
  if (read !== fresh.length) throw new Error(`${read} of ${fresh.length} files`)
}

async function promote(host: GitHost, name: string): Promise<void> {
  value(await host.findPullRequests(repository, { base: MAIN, state: 'open' }))
  const head = value(await host.head(repository))
  const from = { kind: 'create', parent: head.commit } as const
  const changes = [write(`apps/${name}/a.yaml`, name), write(`apps/${name}/b.yaml`, name)]
  const to = branch(`promote/${name}/staging`)
  value(await host.commit(repository, { branch: to, from, changes, message: name, author: AUTHOR }))
  const draft = { head: to, base: MAIN, title: name, body: name, author: AUTHOR }
  value(await host.openPullRequest(repository, draft))
}

async function scaffold(host: GitHost, name: string): Promise<void> {
  const files = Array.from({ length: 40 }, (_, index) => write(`src/${index}.ts`, `${index}\n`))
  const about = { description: name, marker: name, message: 'Initial commit', author: AUTHOR }
  const fresh = repositoryId('acme', name)
  value(await host.createRepository(fresh, { ...about, files, team: TEAM }))
  await promote(host, name)
}

row(`${ENTITIES} entities`, 'API + git', 'time')
for (const roundTripMs of ROUND_TRIPS_MS) {
  github.latencyMs = roundTripMs
  console.log(`round trip of ${roundTripMs} ms`)
  const host = fixture.another()
  const kept = new Set<string>()
  await measured('first load', () => load(host, kept))
  await measured('unchanged', async () => void value(await host.head(repository)))
  await commitFiles(seeded, 'main', [entity(1, 2 + roundTripMs)])
  await measured('one changed file', () => load(host, kept))
  await measured('promotion', () => promote(host, `promoted-${roundTripMs}`))
  await measured('scaffold', () => scaffold(host, `scaffolded-${roundTripMs}`))
  await measured('history of a file', async () => {
    const { commit: of } = value(await host.head(repository))
    value(await host.listCommits(repository, { of, paths: [path(entity(1).path)], limit: 50 }))
  })
  github.latencyMs = 0
}
