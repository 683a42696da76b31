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

/** The overlay of an application in dev. */
function overlayOf(app: string): Readonly<Record<string, string>> {
  const folder = `apps/payments/${app}/overlays/dev`
  return {
    [`${folder}/kustomization.yaml`]: `resources: [../../base]
nameSuffix: -dev
configurations: [image-transformer.yaml]
patches: [{path: patch-xtenant-app.yaml}]
images:
  - name: ghcr.io/acme/${app}
    newTag: 1.0.0
`,
    [`${folder}/image-transformer.yaml`]: `images:
  - {group: platform.example.org, kind: XTenantApp, path: spec/parameters/image}
`,
    [`${folder}/patch-xtenant-app.yaml`]: `apiVersion: platform.example.org/v1alpha1
kind: XTenantApp
metadata: {name: payments-${app}}
spec:
  parameters:
    environment: dev
    replicas: 1
    ingress: {host: ${app}.dev.acme.example}
`,
  }
}

/** The last applications are live in dev. */
const LIVE = Math.min(CREATED, Math.floor(APPLICATIONS / 2))
const isLive = (index: number) => index >= APPLICATIONS - LIVE
const files = Array.from({ length: APPLICATIONS }, (_, index) =>
  Object.entries(
    applicationFiles({
      app: appOf(index),
      lifecycle: isLive(index) ? 'development' : 'experimental',
    }),
  )
    .concat(isLive(index) ? Object.entries(overlayOf(appOf(index))) : [])
    .map(([path, content]) => ({
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

const ask = (index: number, overlayConfig: object) => () =>
  fetch(`${portico.url}${promotionOf(index)}`, {
    method: 'POST',
    headers: { cookie: installation.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ targetLifecycle: 'development', overlayConfig }),
  })
const promote = (index: number) =>
  ask(index, { replicas: 2, ingress: { host: `${appOf(index)}.dev.acme.example` } })
/** The host is named as well: both kinds of request look for it among the claims of all applications. */
const release = (index: number) =>
  ask(index, { image: { tag: '1.1.0' }, ingress: { host: `${appOf(index)}.new.acme.example` } })

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
const released: number[] = []
// In turn: both meet the same load.
for (let index = 0; index < LIVE; index++) {
  created.push(await timed(promote(index), 201))
  released.push(await timed(release(APPLICATIONS - 1 - index), 201))
}
report('create, ms (p50, p99)', show(created))
report('release, ms (p50, p99)', show(released))
report(
  'release in terms of create, at most 1.2 (p50)',
  (median(released) / median(created)).toFixed(2),
)

const since = performance.now()
const together = await Promise.all(
  Array.from({ length: AT_ONCE }, (_, index) => timed(promote(LIVE + index), 201)),
)
report(
  `${AT_ONCE} at once, ms (all done, slowest)`,
  `${(performance.now() - since).toFixed(0)}, ${Math.max(...together).toFixed(0)}`,
)
await portico.stop()
await installation.remove()
