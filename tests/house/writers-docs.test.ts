import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { readEntity } from '#src/lib/domain/catalog/entity.ts'
import { problemCodes } from '#src/lib/domain/catalog/problem.ts'
import { baseKustomization, tenantApp } from '#src/lib/domain/gitops/application.ts'
import { OVERLAY_FILES, overlayObjects } from '#src/lib/domain/gitops/overlay.ts'
import { parseEnvironments } from '#src/lib/domain/promotion/pipeline.ts'
import { baseOf } from '#src/lib/domain/promotion/overlay/manifests.ts'
import { makePlan } from '#src/lib/domain/scaffold/plan.ts'
import { VALUE_NAMES } from '#src/lib/domain/scaffold/placeholders.ts'
import { loadTemplates } from '#src/lib/domain/scaffold/templates.ts'
import {
  AppName,
  EnvironmentName,
  Label,
  parseRepositoryId,
  RepositoryPath,
  TeamName,
} from '#src/lib/names.ts'
import { readYaml } from '#src/lib/yaml/read.ts'
import { toYaml } from '#src/lib/yaml/write.ts'
import { readPage } from '#tests/support/docs-page.ts'
import { kustomize } from '#tests/support/kustomize.ts'
import { kubectl } from '#tests/support/kubectl.ts'

const [catalog, templates, gitops] = await Promise.all(
  ['catalog.md', 'templates.md', 'gitops.md'].map((file) => readPage(file)),
)
if (catalog === undefined || templates === undefined || gitops === undefined) throw new Error()

const team = TeamName.of('payments')
const app = AppName.of('payments-api')
const API_VERSION = 'platform.example.org/v1alpha1'
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('the page about catalog files', () => {
  const path = 'catalog/payments/components/payments-api.yaml'
  const reading = readYaml(catalog.files().get(path) ?? '')
  const documents = reading.ok ? reading.value.documents.map(({ value }) => value) : []

  test('has entities without a fault', () => {
    const pipeline = parseEnvironments('dev:development:member')
    if (!pipeline.ok) throw new Error(pipeline.error)
    const read = documents.map((document) => readEntity(document, pipeline.value.lifecycles))
    expect(read.map(({ ref, faults }) => [ref, faults])).toStrictEqual([
      ['component/payments-api', []],
      ['resource/payments-db', []],
    ])
  })

  test('names every code of a problem', () => {
    const named = new Set(catalog.all(/`((?:[a-z]+_)+[a-z0-9]+)`/g))
    expect(problemCodes.filter((code) => !named.has(code))).toStrictEqual([])
  })
})

describe('the page about templates', () => {
  test('has a template that makes a project, which can be promoted', async () => {
    await using world = await openTemplates(templates.files())
    const { plan } = world
    const files = new Map(plan.repository.map((file) => [file.path, textOf(file.bytes)]))
    const workflow = files.get(RepositoryPath.of('.github/workflows/ci.yaml')) ?? ''
    expect(workflow).toContain('--tag ghcr.io/acme/payments-api:${{ github.sha }}')
    const base = (name: string) => {
      const found = plan.gitops.find((file) => file.path.endsWith(`/base/${name}`))
      return found === undefined ? undefined : textOf(found.bytes)
    }
    expect(baseOf(base('xtenant-app.yaml'), base('kustomization.yaml'))).toMatchObject({
      ok: true,
      value: { name: 'payments-payments-api', image: 'ghcr.io/acme/payments-api' },
    })
  })

  test('names every placeholder', () => {
    const [, table = ''] = templates.sectionOf('Placeholders').split('| `NAME` | value |')
    const named = [...table.matchAll(/`([a-z][A-Za-z]+)`/g)].map(([, name]) => name)
    expect(VALUE_NAMES.filter((name) => !named.includes(name))).toStrictEqual([])
  })
})

describe('the page about the gitops repository', () => {
  const files = gitops.files()
  const folder = 'apps/payments/payments-api'
  const contentOf = (path: string) => (files.get(`${folder}/${path}`) ?? '').replace(/^#.*\n/, '')
  const application = {
    team,
    app,
    namespace: 'payments',
    image: 'ghcr.io/acme/payments-api',
    features: { database: true, externalSecrets: true, ingress: true },
  }

  test('has the base that Portico writes', () => {
    expect(contentOf('base/kustomization.yaml')).toBe(
      textOf(toYaml(baseKustomization(application))),
    )
    expect(contentOf('base/xtenant-app.yaml')).toBe(
      textOf(toYaml(tenantApp(API_VERSION, application))),
    )
  })

  test('has the overlay that Portico writes', () => {
    const base = baseOf(contentOf('base/xtenant-app.yaml'), contentOf('base/kustomization.yaml'))
    if (!base.ok) throw new Error(base.error)
    const objects = overlayObjects({
      team,
      app,
      environment: EnvironmentName.of('staging'),
      namespace: 'payments-staging',
      base: base.value,
      config: {
        replicas: 2,
        resources: {
          requests: { cpu: '200m', memory: '256Mi' },
          limits: { cpu: '1', memory: '1Gi' },
        },
        ingress: { host: 'payments.staging.example.org' },
      },
      image: { tag: '1.5.0', digest: null },
      newName: null,
    })
    for (const file of OVERLAY_FILES) {
      expect(contentOf(`overlays/staging/${file}`)).toBe(textOf(toYaml(objects[file] ?? {})))
    }
  })

  test.skipIf(kubectl === null)('has an overlay that kustomize builds', async () => {
    const built = await kustomize(Object.fromEntries(files), `${folder}/overlays/staging`)
    expect(built).toMatchObject({
      metadata: { name: 'payments-payments-api-staging' },
      spec: { parameters: { image: 'ghcr.io/acme/payments-api:1.5.0', replicas: 2 } },
    })
  })

  test('has names for Argo CD that keep applications apart', () => {
    const reading = readYaml(files.get('applicationset.yaml') ?? '')
    const [document] = reading.ok ? reading.value.documents : []
    expect(document?.value).toMatchObject({
      kind: 'ApplicationSet',
      spec: {
        generators: [{ git: { directories: [{ path: 'apps/*/*/overlays/*' }] } }],
        template: {
          metadata: {
            name: '{{index .path.segments 1}}.{{index .path.segments 2}}.{{.path.basename}}',
          },
        },
      },
    })
  })
})

/** A repository with the files of the page, and the plan of a project from its template. */
async function openTemplates(files: ReadonlyMap<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-writers-'))
  const gitHost = createLocalGitHost({ directory, publicUrl: 'http://portal.test' })
  const repository = parseRepositoryId('acme/templates')
  if (repository === undefined) throw new Error()
  const made = await gitHost.createRepository(repository, {
    description: 'templates',
    team: TeamName.of('platform'),
    marker: 'test',
    message: 'First commit',
    author: { name: 'Ann', email: 'ann@acme.example' },
    files: [...files].map(([path, text]) => ({
      kind: 'write',
      path: RepositoryPath.of(path),
      bytes: new TextEncoder().encode(text),
    })),
  })
  if (!made.ok) throw new Error(made.error.kind)
  const head = await gitHost.head(repository)
  if (!head.ok) throw new Error(head.error.kind)
  const loaded = await loadTemplates(gitHost, repository, head.value.commit)
  if (!loaded.ok) throw new Error(loaded.error.kind)
  expect(loaded.value.problems).toStrictEqual([])
  const [template] = loaded.value.templates
  if (template === undefined) throw new Error('there is no template')
  const source = {
    gitHost,
    templatesRepository: repository,
    catalogDirectory: RepositoryPath.of('catalog'),
  }
  const plan = await makePlan(
    source,
    {
      templateId: Label.of(template.id),
      templateVersion: template.version,
      templateRevision: template.revision,
      app,
      team,
      org: 'acme',
      namespace: 'payments-dev',
      description: 'Takes payments: "carefully"',
      image: 'ghcr.io/acme/payments-api',
      features: { database: false, externalSecrets: true, ingress: true },
      componentType: template.type,
      templateHasBase: true,
      tenantAppApiVersion: API_VERSION,
      firstEnvironment: EnvironmentName.of('dev'),
      createdBy: { subject: 'ann', name: 'Ann', email: 'ann@acme.example' },
    },
    template,
  )
  if (!plan.ok) throw new Error(JSON.stringify(plan.error))
  return {
    plan: plan.value,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
