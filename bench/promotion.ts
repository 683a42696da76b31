/**
 * Promotion on the embedded git host, with the real process: a gitops repository of 1,000 applications and 200 open pull
 * requests. `bun bench/promotion.ts [applications] [pull requests]`
 */
import { BranchName, RepositoryPath } from '#src/lib/names.ts'
import { applicationFiles } from '#tests/support/application.ts'
import {
  createInstallation,
  median,
  percentile,
  startPortico,
  untilComplete,
} from './support/installation.ts'

const APPLICATIONS = Number(process.argv[2] ?? 1_000)
const OPEN_PULLS = Number(process.argv[3] ?? 200)
const STATES = 200
const CREATED = 30
const AT_ONCE = 16
const PORT = 4186
const AUTHOR = { name: 'Ann', email: 'ann@acme.example' }

const report = (label: string, value: string) => console.log(`  ${label.padEnd(50)} ${value}`)
const appOf = (index: number) => `app-${index}`
const decoder = new TextDecoder()

const files = Array.from({ length: APPLICATIONS }, (_, index) =>
  Object.entries(applicationFiles({ app: appOf(index) })).map(([path, content]) => ({
    path,
    text: typeof content === 'string' ? content : decoder.decode(content),
  })),
).flat()
const installation = await createInstallation(0, files)
const { git, repository } = installation
const head = await git.head(repository)
if (!head.ok) throw new Error(head.error.kind)
for (let pull = 0; pull < OPEN_PULLS; pull++) {
  const branch = BranchName.of(`topic/${pull}`)
  await git.commit(repository, {
    branch,
    from: { kind: 'create', parent: head.value.commit },
    changes: [
      {
        kind: 'write',
        path: RepositoryPath.of(`notes/${pull}.md`),
        bytes: new TextEncoder().encode(`note ${pull}\n`),
      },
    ],
    message: 'Note',
    author: AUTHOR,
  })
  await git.openPullRequest(repository, {
    head: branch,
    base: head.value.branch,
    title: `Note ${pull}`,
    body: '',
    author: AUTHOR,
  })
}

const portico = await startPortico(installation, PORT)
await untilComplete(() => portico.get('/api/v1/catalog/entities?limit=1'), portico.startedAt)
const promotionOf = (index: number) =>
  `/api/v1/catalog/entities/component/${appOf(index)}/promotion`

async function timed(ask: () => Promise<Response>, expected: number): Promise<number> {
  const since = performance.now()
  const response = await ask()
  await response.arrayBuffer()
  if (response.status !== expected) throw new Error(`answered ${response.status}`)
  return performance.now() - since
}

const promote = (index: number) => () =>
  fetch(`${portico.url}${promotionOf(index)}`, {
    method: 'POST',
    headers: { cookie: installation.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({
      targetLifecycle: 'development',
      overlayConfig: { replicas: 2, ingress: { host: `${appOf(index)}.dev.acme.example` } },
    }),
  })

const states: number[] = []
for (let index = 0; index < STATES; index++) {
  states.push(await timed(() => portico.get(promotionOf(index % APPLICATIONS)), 200))
}
const again: number[] = []
for (let index = 0; index < STATES; index++) {
  again.push(await timed(() => portico.get(promotionOf(index % APPLICATIONS)), 200))
}
const show = (times: readonly number[]) =>
  `${median(times).toFixed(1)}, ${percentile(times, 0.99).toFixed(1)}`
report('state, each application for the first time, ms (p50, p99)', show(states))
report('state, again, ms (p50, p99)', show(again))

const created: number[] = []
for (let index = 0; index < CREATED; index++) created.push(await timed(promote(index), 201))
report('create, ms (p50, p99)', show(created))

const since = performance.now()
const together = await Promise.all(
  Array.from({ length: AT_ONCE }, (_, index) => timed(promote(CREATED + index), 201)),
)
report(
  `${AT_ONCE} at once, ms (all done, slowest)`,
  `${(performance.now() - since).toFixed(0)}, ${Math.max(...together).toFixed(0)}`,
)
await portico.stop()
await installation.remove()
