import { afterAll, describe, expect, test } from 'bun:test'
import { authorOf } from '#src/lib/domain/gitops/requesters.ts'
import { repositoryOf } from '#src/lib/domain/catalog/entity-repository.ts'
import { RepositoryPart, TeamName } from '#src/lib/names.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'
import { ask, confirm, ENTITY, OVERLAY, promote } from '#tests/support/promotion.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { commitFiles } from '#tests/support/commit-files.ts'

const DANA = authorOf({ name: 'Dana Okafor', email: 'dana@acme.example' })
const shop = { ...GITOPS, name: RepositoryPart.of('shop') }

/** The entity file of the shop, which names the repository with its source. */
const entityIn = (repository: string) => {
  const files = applicationFiles()
  const text = String(files[ENTITY])
  return {
    ...files,
    [ENTITY]: text.replace(
      'name: shop\n',
      `name: shop\n  annotations: { portico/repository: "${repository}" }\n`,
    ),
  }
}

/** Tags of the source: `v1.0.0`, `1.1.0`, `1.2.0`, the last one annotated, and one that is no image's. */
async function openSource(portal: TestPortal) {
  await portal.host.createRepository(shop, {
    description: '',
    team: TeamName.of('payments'),
    marker: 'test',
    files: [],
    message: 'Start',
    author: DANA,
  })
  for (const [tag, subject] of [
    ['1.0.0', 'First\n\nIts body'],
    ['1.1.0', 'Second \u202etxt'],
    ['1.2.0', 'Third'],
  ] as const) {
    portal.clock.advance(60_000)
    const change = { message: subject, author: DANA }
    valueOf(await commitFiles(portal.host, shop, { version: tag }, change))
    const { branch } = valueOf(await portal.host.head(shop))
    const folder = `${portal.directory}/acme/shop.git`
    const annotated = tag === '1.2.0' ? ['-a', '-m', 'Annotated'] : []
    await Bun.$`git --git-dir=${folder} -c user.name=D -c user.email=d@acme.example tag ${annotated} ${tag} ${branch}`.quiet()
    await Bun.$`git --git-dir=${folder} tag -f no/image ${branch}`.quiet()
  }
}

const kustomization = (tag: string) =>
  `resources: [../../base]\nimages: [{ name: ghcr.io/acme/shop, newTag: "${tag}" }]\nreplicas: []\n`

/** Live in dev with 1.1.0 and a secret; staging has 1.0.0, and something that was built elsewhere before. */
async function openShop(repository = 'acme/shop') {
  const portal = await openPortal({ files: entityIn(repository) })
  await openSource(portal)
  const secrets = { STRIPE_KEY: 'sk', OTHER: 'x' }
  await promote(portal, 'development', { image: { tag: '1.1.0' }, secrets }, 'dev')
  await portal.merge(1)
  await confirm(portal)
  for (const tag of ['0.9-hotfix', '1.0.0']) {
    portal.clock.advance(60_000)
    await portal.commit({ [`${OVERLAY}/staging/kustomization.yaml`]: kustomization(tag) })
  }
  return portal
}

type Row = Readonly<Record<string, unknown>>

const list = async (portal: TestPortal, suffix: string, as: Person = 'dev') => {
  const { status, body } = await ask(portal, 'GET', suffix, as)
  expect({ suffix, status }).toStrictEqual({ suffix, status: 200 })
  return body as unknown as readonly Row[]
}

const portal = await openShop()
afterAll(() => portal[Symbol.asyncDispose]())

describe('the versions of an application', () => {
  test('are the tags of its repository and what ran, newest first, with where they are', async () => {
    const rows = await list(portal, '/versions')
    expect(
      rows.map(({ tag, subject, environments }) => [tag, subject, environments]),
    ).toStrictEqual([
      ['0.9-hotfix', null, []],
      ['1.2.0', 'Third', []],
      ['1.1.0', 'Second txt', ['dev']],
      ['1.0.0', 'First', ['staging']],
    ])
    const { commit, by, at, url } = rows.find(({ tag }) => tag === '1.2.0') ?? {}
    expect({ by, at: typeof at }).toStrictEqual({
      by: { subject: null, name: 'Dana Okafor' },
      at: 'string',
    })
    expect(url).toEndWith(`/acme/shop/commit/${String(commit)}`)
  })

  test('come in pages', async () => {
    const path = '/api/v1/catalog/entities/component/shop/promotion/versions'
    const first = await portal.request(`${path}?limit=3`, { as: 'outsider' })
    expect(await first.json()).toHaveLength(3)
    expect(first.headers.get('link')).toBe(`<${path}?limit=3&offset=3>; rel="next"`)
    const last = await portal.request(`${path}?limit=3&offset=3`, { as: 'outsider' })
    expect(await last.json()).toHaveLength(1)
    expect(last.headers.get('link')).toBeNull()
  })

  test('are those that ran where the repository is gone', async () => {
    await using other = await openShop('acme/gone')
    const rows = await list(other, '/versions')
    expect(new Map(rows.map(({ tag, commit }) => [tag, commit]))).toStrictEqual(
      new Map([
        ['0.9-hotfix', null],
        ['1.0.0', null],
        ['1.1.0', null],
      ]),
    )
  })

  test('with numbers alone go by these', async () => {
    await using numbered = await openPortal({ files: applicationFiles() })
    for (const tag of ['1.10.0', '1.9.0', '1.10.0-rc.1', 'v1.10.1']) {
      await numbered.commit({ [`${OVERLAY}/dev/kustomization.yaml`]: kustomization(tag) })
    }
    const rows = await list(numbered, '/versions')
    expect(rows.map(({ tag }) => tag)).toStrictEqual(['v1.10.1', '1.10.0', '1.10.0-rc.1', '1.9.0'])
  })

  test('with a number that no comparison can take go by time', async () => {
    const huge = '99999999999999999999.0.0'
    await using numbered = await openPortal({ files: applicationFiles() })
    for (const tag of [huge, '2.0.0']) {
      numbered.clock.advance(60_000)
      await numbered.commit({ [`${OVERLAY}/dev/kustomization.yaml`]: kustomization(tag) })
    }
    const rows = await list(numbered, '/versions')
    expect(rows.map(({ tag }) => tag)).toStrictEqual(['2.0.0', huge])
  })

  test.each([
    [{ 'portico/repository': 'acme/shop' }, shop],
    [{ 'portico/repository': 'others/shop' }, null],
    [{ 'portico/repository': 'shop' }, null],
    [{ 'portico/repository': 'acme/../shop' }, null],
    [{ 'portico/repository': 7 }, null],
    [{}, null],
    [null, null],
  ])('come from a repository of the organisation alone: %o', (annotations, repository) => {
    const json = JSON.stringify({ metadata: { annotations } })
    expect(repositoryOf({ json }, shop)).toStrictEqual(repository)
  })
})

describe('two environments', () => {
  const compared = async (query: string, as: Person = 'dev') => {
    const { status, body } = await ask(portal, 'GET', `/compare?${query}`, as)
    return { status, ...body }
  }

  test('differ in settings, secrets and commits', async () => {
    expect(await compared('from=dev&to=staging')).toMatchObject({
      status: 200,
      differences: [{ field: 'image', from: '1.1.0', to: '1.0.0' }],
      secrets: { missing: ['OTHER', 'STRIPE_KEY'] },
      commits: [{ subject: 'Second txt', by: { subject: null, name: 'Dana Okafor' } }],
      truncated: false,
    })
    expect(await compared('from=staging&to=dev')).toMatchObject({
      secrets: { missing: [] },
      commits: [],
    })
    expect(await compared('from=dev&to=production')).toMatchObject({
      differences: [{ field: 'image', from: '1.1.0', to: null }],
      commits: null,
    })
  })

  test.each([
    ['outsider', null],
    ['manager', { missing: ['OTHER', 'STRIPE_KEY'] }],
    ['platform', { missing: ['OTHER', 'STRIPE_KEY'] }],
  ] as const)('show names of secrets to %s: %o', async (person, secrets) => {
    expect(await compared('from=dev&to=staging', person)).toMatchObject({ status: 200, secrets })
  })

  test('have to exist', async () => {
    for (const [query, at] of [
      ['from=qa&to=dev', '/query/from'],
      ['from=dev&to=qa', '/query/to'],
      ['from=dev', '/query/to'],
    ] as const) {
      expect(await compared(query)).toMatchObject({
        status: 422,
        code: 'validation_failed',
        errors: [{ path: at }],
      })
    }
    for (const suffix of ['/versions', '/compare?from=dev&to=staging']) {
      const { status, body } = await ask(portal, 'GET', suffix, 'dev', undefined, 'nothing')
      expect([status, body['code']]).toStrictEqual([404, 'entity_not_found'])
    }
  })
})
