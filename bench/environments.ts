/**
 * All environments and all waiting moves on the embedded git host, with the real process: applications with three overlays each, and 200
 * open pull requests. `bun bench/environments.ts [applications…]` (default 1000 10000)
 */
import { BranchName, RepositoryPath } from '#src/lib/names.ts'
import { applicationFiles } from '#tests/support/application.ts'
import {
  createInstallation,
  type Installation,
  median,
  percentile,
  startPortico,
  untilComplete,
  wrk,
} from './support/installation.ts'

const sizes = process.argv.slice(2).map(Number)
const TEAMS = 40
const OPEN_PULLS = 200
const OPEN_MOVES = 40
const PUSHES = 15
const ROUNDS = 3
const ROUND_SECONDS = 4
const PORT = 4191
const AUTHOR = { name: 'Ann', email: 'ann@acme.example' }

const ROWS = '/api/v1/environments'
const MOVES = '/api/v1/promotions'
const LIST = '/api/v1/catalog/entities'

const report = (label: string, value: string) => console.log(`  ${label.padEnd(62)} ${value}`)
const decoder = new TextDecoder()
const appOf = (index: number) => `app-${index}`
const teamOf = (index: number) => `team-${index % TEAMS}`

for (const size of sizes.length > 0 ? sizes : [1_000, 10_000]) {
  const files = Array.from({ length: size }, (_, index) => filesOf(index)).flat()
  console.log(`\n${size} applications, ${files.length} files`)
  const installation = await createInstallation(0, files)
  await openPulls(installation)
  await measure(installation, size)
  await installation.remove()
}

async function measure(installation: Installation, size: number): Promise<void> {
  const portico = await startPortico(installation, PORT, { sampled: true })
  const first = await untilComplete(() => portico.get(`${ROWS}?limit=1`), portico.startedAt)
  report('start to first answer, ms', first.ms.toFixed(0))
  report(
    'longest stall of the event loop meanwhile, ms',
    (await portico.longestStallMs()).toFixed(0),
  )
  const all = await portico.get(`${ROWS}?limit=1`)
  if (all.headers.get('x-total-count') !== String(size)) throw new Error('rows are missing')

  async function timed(path: string): Promise<number> {
    const since = performance.now()
    const response = await portico.get(path)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`answered ${response.status}`)
    return performance.now() - since
  }
  const afterPush = async (push: number, path: string) => {
    await installation.commit([kustomizationOf(push % size, 'dev', `2.${push}.0`)])
    await portico.refresh()
    return timed(path)
  }
  const [rows, moves, states]: number[][] = [[], [], []]
  // In turn: all meet the same load.
  for (let push = 0; push < PUSHES; push++) {
    const state = `${LIST}/component/${appOf(push)}/promotion`
    states?.push(await afterPush(3 * push, state))
    rows?.push(await afterPush(3 * push + 1, ROWS))
    moves?.push(await afterPush(3 * push + 2, MOVES))
  }
  const show = (times: readonly number[] = []) =>
    `${median(times).toFixed(1)}, ${percentile(times, 0.99).toFixed(1)}`
  report('the promotion state of one, first after a push, ms (p50, p99)', show(states))
  report('the environments, first after a push, ms (p50, p99)', show(rows))
  report('the waiting moves, first after a push, ms (p50, p99)', show(moves))
  report(
    'environments in terms of one state, at most 2 (p50)',
    (median(rows ?? []) / median(states ?? [])).toFixed(2),
  )
  report(
    'longest stall of the event loop meanwhile, ms',
    (await portico.longestStallMs()).toFixed(0),
  )

  const named = Array.from({ length: 100 }, (_, index) => appOf(index)).join()
  const paths = [`${LIST}?limit=100`, ROWS, `${ROWS}?team=team-1`, `${ROWS}?entity=${named}`, MOVES]
  const rates = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of paths) {
      const load = { cookie: installation.cookie, connections: 16, seconds: ROUND_SECONDS }
      const { perSecond } = await wrk(`${portico.url}${path}`, load)
      rates.set(path, Math.max(rates.get(path) ?? 0, perSecond))
    }
  }
  for (const [path, perSecond] of rates) {
    const bytes = (await (await portico.get(path)).arrayBuffer()).byteLength
    report(`${path.slice(0, 40)}, requests/s (${bytes} bytes)`, perSecond.toFixed(0))
  }
  report('resident memory, MB', (await portico.residentMegabytes()).toFixed(0))
  await portico.stop()
}

function kustomizationOf(index: number, environment: string, tag: string) {
  const folder = `apps/${teamOf(index)}/${appOf(index)}/overlays/${environment}`
  return {
    path: `${folder}/kustomization.yaml`,
    text: `resources: [../../base]
configurations: [image-transformer.yaml]
patches: [{path: patch-xtenant-app.yaml}]
images:
  - name: ghcr.io/acme/${appOf(index)}
    newTag: ${tag}
`,
  }
}

/** An application in production, with an overlay for every environment. */
function filesOf(index: number): { readonly path: string; readonly text: string }[] {
  const facts = { app: appOf(index), team: teamOf(index), lifecycle: 'production' }
  const base = Object.entries(applicationFiles(facts)).map(([path, content]) => ({
    path,
    text: typeof content === 'string' ? content : decoder.decode(content),
  }))
  const overlays = ['dev', 'staging', 'production'].flatMap((environment) => {
    const folder = `apps/${teamOf(index)}/${appOf(index)}/overlays/${environment}`
    const host = `${appOf(index)}.${environment}.acme.example`
    return [
      kustomizationOf(index, environment, '1.0.0'),
      {
        path: `${folder}/image-transformer.yaml`,
        text: `images: [{group: platform.example.org, kind: XTenantApp, path: spec/parameters/image}]\n`,
      },
      {
        path: `${folder}/patch-xtenant-app.yaml`,
        text: `kind: XTenantApp\nspec:\n  parameters:\n    replicas: 2\n    ingress: {host: ${host}}\n`,
      },
    ]
  })
  return [...base, ...overlays]
}

/** Releases of the first applications, and other people's pull requests. */
async function openPulls({ git, repository }: Installation): Promise<void> {
  const head = await git.head(repository)
  if (!head.ok) throw new Error(head.error.kind)
  for (let number = 0; number < OPEN_PULLS; number++) {
    const isMove = number < OPEN_MOVES
    const move = `promote/${teamOf(number)}/${appOf(number)}/staging`
    const branch = BranchName.of(isMove ? move : `topic/${number}`)
    await git.commit(repository, {
      branch,
      from: { kind: 'create', parent: head.value.commit },
      changes: [
        {
          kind: 'write',
          path: RepositoryPath.of(`notes/${number}.md`),
          bytes: new TextEncoder().encode(`note ${number}\n`),
        },
      ],
      message: 'Note',
      author: AUTHOR,
    })
    await git.openPullRequest(repository, {
      head: branch,
      base: head.value.branch,
      title: `Change ${number}`,
      body: isMove ? `Portico-Move: ${move}` : '',
      author: AUTHOR,
    })
  }
}
