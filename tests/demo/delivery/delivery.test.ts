import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { clusters } from '#src/demo/clusters/workloads.ts'
import { createImages } from '#src/demo/clusters/images.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { createDelivery } from '#src/demo/delivery/delivery.ts'
import { createPipelines } from '#src/demo/delivery/pipelines.ts'
import { readWanted } from '#src/demo/delivery/read-wanted.ts'
import { GITOPS, seed } from '#src/demo/seed/seed.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { parseRepositoryId, RepositoryPath, TeamName } from '#src/lib/names.ts'
import { git } from '../open-demo.ts'
import { openFolder, type Folder } from '#tests/support/open-folder.ts'
import { openSimulation } from '../clusters/open-simulation.ts'
import { commitFiles } from '#tests/support/commit-files.ts'
import { valueOf } from '#tests/support/value-of.ts'
let folder: Folder
beforeAll(async () => {
  folder = await openFolder()
  await seed(join(folder.path, 'git'), Date.now())
})
afterAll(() => folder[Symbol.asyncDispose]())

const author = { name: 'Priya', email: 'priya@acme.example' }

/** The delivery of a seeded demo, into simulations whose time stands still. */
function world() {
  const directory = join(folder.path, 'git')
  const development = openSimulation(clusters['dev-east'])
  const production = openSimulation(clusters['prod-west'])
  const syncs = [development.sync, production.sync]
  const warnings: string[] = []
  const images = createImages()
  const gitHost = createLocalGitHost({
    directory,
    publicUrl: 'http://127.0.0.1',
    onRefsChanged: (repository, changes) => delivery.onRefsChanged(repository, changes),
  })
  const delivery = createDelivery({
    gitHost,
    gitops: GITOPS,
    build: createPipelines({
      directory,
      images,
      clock: systemClock,
      imageOf: ({ owner, name }) => `ghcr.io/${owner}/${name}`,
    }),
    clusters: {
      sync: ({ applications, unreadable }) =>
        syncs.flatMap((sync, index) =>
          sync({
            applications: applications.filter(
              ({ environment }) => (environment === 'production') === (index === 1),
            ),
            unreadable,
          }),
        ),
    },
    log: { warn: (_: object, text: string) => void warnings.push(text) },
  })
  const write = async (path: string, text: string) => {
    valueOf(await commitFiles(gitHost, GITOPS, { [path]: text }))
    await delivery.settled()
  }
  return { directory, development, production, images, gitHost, delivery, warnings, write }
}

describe('the delivery of the demo', () => {
  test('finds running what the repository wants, and nothing else', async () => {
    const { development, production, gitHost, delivery, warnings } = world()
    const versions = () => [development.store.version, production.store.version]
    const before = versions()
    await delivery.start()
    expect(versions()).toStrictEqual(before)
    expect(warnings).toStrictEqual([])
    const wanted = await readWanted(gitHost, GITOPS)
    const running = [development, production].flatMap(({ store }) => store.list('Deployment'))
    expect(wanted.ok && wanted.value.applications.length).toBe(running.length)
  })

  test('runs what is merged, and leaves alone what cannot be read', async () => {
    const { development, delivery, warnings, write } = world()
    await delivery.start()
    const deployment = () => development.deployment('payments-api')
    const overlay = 'apps/payments/payments-api/overlays/dev/kustomization.yaml'
    const images = (tag: string) =>
      `resources: [../../base]\nimages: [{ name: ghcr.io/acme/payments-api, newTag: ${tag} }]\n`
    await write(overlay, images('1.5.0'))
    expect(deployment().spec.template.spec?.containers[0]?.image).toBe(
      'ghcr.io/acme/payments-api:1.5.0',
    )
    await write(overlay, 'images: [\n')
    expect(deployment()).toBeDefined()
    expect(warnings).toStrictEqual([
      'delivery: the files do not make an application, or one too many',
    ])
    await write(overlay, images('1.5.0-rc.3'))
  })

  test('does not run more pods than the simulation can have, and leaves out the largest', async () => {
    const { development, delivery, gitHost } = world()
    await delivery.start()
    const before = development.store.list('Pod').length
    const head = await gitHost.head(GITOPS)
    if (!head.ok) throw new Error(head.error.kind)
    const app = (name: string, replicas: number): readonly (readonly [string, string])[] => [
      [`apps/aaa/${name}/overlays/dev/kustomization.yaml`, 'resources: [../../base]\n'],
      [`apps/aaa/${name}/overlays/dev/patch-xtenant-app.yaml`, 'spec: { parameters: {} }\n'],
      [
        `apps/aaa/${name}/base/xtenant-app.yaml`,
        `spec: { parameters: { image: x/y, namespace: aaa-dev, replicas: ${replicas} } }\n`,
      ],
    ]
    const large = Array.from({ length: 30 }, (_, index) => app(`large-${index}`, 100))
    const files = Object.fromEntries([...large.flat(), ...app('small', 3)])
    valueOf(await commitFiles(gitHost, GITOPS, files))
    await delivery.settled()
    const { store } = development
    expect(store.get('Deployment', 'aaa-dev', 'small')).toBeDefined()
    expect(store.list('Pod').length - before).toBeLessThan(500)
    const names = store.list('Deployment').map(({ metadata }) => metadata.name)
    expect(names).toContain('payments-api')
    expect(names.filter((name) => name.startsWith('large-')).length).toBeLessThan(5)
  })

  test('builds the tags and commits of projects, and nothing of other repositories', async () => {
    const { directory, gitHost, delivery, images } = world()
    const project = parseRepositoryId('acme/refund-api')
    if (project === undefined) throw new Error('no repository name')
    const isBuilt = (tag: string) => images.builtAt(`ghcr.io/acme/refund-api:${tag}`) !== Infinity
    const created = await gitHost.createRepository(project, {
      description: '',
      team: TeamName.of('payments'),
      marker: 'run',
      files: [{ kind: 'write', path: RepositoryPath.of('README.md'), bytes: Buffer.from('x') }],
      message: 'Begin',
      author,
    })
    if (!created.ok) throw new Error(JSON.stringify(created.error))
    await delivery.settled()
    expect([isBuilt(created.value.head.commit), isBuilt('1.0.0')]).toStrictEqual([true, false])
    const bare = `--git-dir=${join(directory, 'acme/refund-api.git')}`
    await git(folder.path, bare, 'tag', 'v1.0.0', 'main')
    delivery.onRefsChanged(project, [])
    await delivery.settled()
    expect([isBuilt('v1.0.0'), isBuilt('1.0.0')]).toStrictEqual([true, true])
    const { images: another, delivery: next } = world()
    await next.start()
    expect(another.builtAt('ghcr.io/acme/refund-api:1.0.0')).toBeLessThan(Infinity)
    expect(another.builtAt('ghcr.io/acme/gitops:main')).toBe(Infinity)
  })
})
