import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openGiteaForge } from '#tests/peers/gitea/forge.ts'
import { openGitHubForge } from '#tests/peers/github/forge.ts'
import { openGitLabForge } from '#tests/peers/gitlab/forge.ts'
import { ada, type OidcPeer, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { allEvents, storyOf } from '#tests/support/event-stream.ts'
import type { Forge } from '#tests/peers/forge/forge.ts'
import { component, template, WEBHOOK_TOKEN } from '#tests/support/portal.ts'
import { type PorticoProcess, startPortico } from '#tests/support/portico-process.ts'
import { settingsAt } from '#tests/support/installation.ts'
import { type ReplicaBrowser, signIn } from '#tests/support/replicas.ts'
import { until } from '#tests/support/until.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const HOST = { host: 'portal.test' }
const API = '/api/v1'
const ENTITIES = `${API}/catalog/entities/component`
const TEMPLATE = {
  'templates/service/template.yaml': template('service'),
  'templates/service/skeleton/README.md': '# {{ values.appName }}\n',
  'templates/service/skeleton/src/{{ values.appName }}.txt': 'for {{ values.team }}\n',
}

const hosts = [
  ['GitHub', openGitHubForge],
  ['Gitea', openGiteaForge],
  ['GitLab', openGitLabForge],
] as const satisfies readonly (readonly [string, () => Promise<Forge>])[]

/** What the README shows, with a git hosting service in place of the embedded one. */
describe.each(hosts)('the whole way with %s', (_name, open) => {
  let forge: Forge
  let provider: OidcPeer
  let portico: PorticoProcess
  let browser: ReplicaBrowser

  beforeAll(async () => {
    forge = await open()
    await forge.create('gitops', { 'catalog/payments-api.yaml': component('payments-api') })
    await forge.create('templates', TEMPLATE)
    provider = await startOidcPeer({ people: [ada], publicUrl: 'http://portal.test' })
    portico = await startPortico(['serve'], {
      ...settingsAt(folder),
      ...provider.settings,
      ...forge.settings,
      LOG_LEVEL: 'warn',
    })
    browser = await signIn(provider, 'ada', portico)
  })
  afterAll(async () => {
    await portico[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    await forge[Symbol.asyncDispose]()
  })
  // Hooks run in the order of their registration: the folder goes last.
  const folder = folderOfTests()

  const ask = async (path: string, body?: object) => {
    const response = await browser.ask(portico, path, { json: body })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const deliver = async (repository = 'acme/gitops', secret = WEBHOOK_TOKEN) => {
    const { headers, body } = forge.delivery(secret, repository)
    const url = `${portico.url}${API}/webhooks/catalog/refresh`
    return (await fetch(url, { method: 'POST', headers: { ...HOST, ...headers }, body })).status
  }
  const entity = (name: string) => ask(`${ENTITIES}/${name}`)

  test('the catalog is that of the repository', async () => {
    await until(async () => (await fetch(`${portico.url}/readyz`, { headers: HOST })).ok)
    expect(await entity('payments-api')).toMatchObject({ status: 200 })
    expect((await entity('refund-api')).status).toBe(404)
  })

  test('a scaffolded project is a repository with one commit, and a pull request', async () => {
    const wanted = {
      templateId: 'service',
      appName: 'refund-api',
      team: 'payments',
      namespace: 'payments',
    }
    const stream = await browser.ask(portico, `${API}/scaffold`, { json: wanted })
    const events = await allEvents(stream)
    expect(storyOf(events).at(-1)).toBe('done')
    expect(events.at(-1)?.data).toMatchObject({ prStatus: 'open', prNumber: 1 })
    expect(await forge.commits('refund-api')).toBe(1)
    expect(await forge.files('refund-api')).toStrictEqual({
      'README.md': '# refund-api\n',
      'src/refund-api.txt': 'for payments\n',
    })
    const proposed = await forge.files('gitops', 'scaffold/payments/refund-api')
    expect(Object.keys(proposed)).toContain('apps/payments/refund-api/base/kustomization.yaml')
  })

  test('merged, and told by a signed webhook, it is in the catalog', async () => {
    await forge.merge('gitops', 1)
    expect(await deliver()).toBe(204)
    expect(await entity('refund-api')).toMatchObject({
      status: 200,
      body: { spec: { lifecycle: 'experimental' } },
    })
  })

  test('a promotion is a pull request; merged, it is confirmed', async () => {
    const promotion = `${ENTITIES}/refund-api/promotion`
    const wish = {
      targetLifecycle: 'development',
      overlayConfig: { replicas: 1, image: { tag: '1.0.0' } },
    }
    const proposed = await ask(promotion, wish)
    expect(proposed).toMatchObject({
      status: 201,
      body: { status: 'pr_open', created: true, pullRequest: { number: 2, state: 'open' } },
    })
    expect(await ask(promotion, wish)).toMatchObject({
      body: { created: false, pullRequest: { number: 2 } },
    })
    expect((await ask(promotion)).body).toMatchObject({
      confirm: { available: false, reason: 'PR #2 pending', pullRequest: 2 },
    })
    expect((await ask(`${promotion}/confirm`, {})).status).toBe(409)
    await forge.merge('gitops', 2)
    expect((await ask(promotion)).body).toMatchObject({ confirm: { available: true } })
    expect(await ask(`${promotion}/confirm`, {})).toMatchObject({
      status: 200,
      body: { status: 'confirmed', lifecycle: 'development' },
    })
    expect((await entity('refund-api')).body).toMatchObject({ spec: { lifecycle: 'development' } })
    const files = await forge.files('gitops')
    expect(files['catalog/payments/components/refund-api.yaml']).toContain('lifecycle: development')
  })

  test('a second version is a release, and the history says what ran, by whom', async () => {
    const promotion = `${ENTITIES}/refund-api/promotion`
    const release = (tag: string) =>
      ask(promotion, { targetLifecycle: 'development', overlayConfig: { image: { tag } } })
    expect(await release('1.1.0')).toMatchObject({
      status: 201,
      body: { kind: 'release', pullRequest: { number: 3 } },
    })
    // A second commit on the branch.
    expect(await release('1.2.0')).toMatchObject({ body: { pullRequest: { number: 3 } } })
    await forge.merge('gitops', 3)
    const history = await ask(`${promotion}/history?environment=dev`)
    expect(history.status).toBe(200)
    const askedBy = { name: 'Ada', subject: 'ada' }
    expect(history.body).toMatchObject([
      {
        kind: 'release',
        image: { tag: '1.2.0' },
        previousImage: { tag: '1.0.0' },
        pullRequest: { number: 3, state: 'merged' },
        askedBy,
        mergedBy: { subject: null, name: expect.stringMatching(/^(grace|portico|maintainer)$/) },
      },
      { kind: 'promotion', image: { tag: '1.0.0' }, previousImage: null, askedBy },
    ])
    expect(history.body).toHaveLength(2)
  })

  test('a push is visible after its signed webhook, and after no other', async () => {
    await forge.push('gitops', { 'catalog/pushed.yaml': component('pushed') })
    expect(await deliver('acme/gitops', 'another secret')).toBe(401)
    expect(await deliver('acme/other')).toBe(204)
    expect((await entity('pushed')).status).toBe(404)
    expect(await deliver()).toBe(204)
    expect((await entity('pushed')).status).toBe(200)
  })
})
