import { afterAll, describe, expect, test } from 'bun:test'
import { createSourcePages } from '#src/lib/domain/gitops/source-pages.ts'
import { ObjectId, type RepositoryId } from '#src/lib/names.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { component, GITOPS, openPortal, TEMPLATES } from '#tests/support/portal.ts'

const SITE = 'http://portal.test:8080/git'
const API = '/api/v1/catalog'

const two = `${component('first')}---\n${component('second')}`
const portal = await openPortal({
  files: {
    ...applicationFiles({ lifecycle: 'production' }),
    'catalog/two.yaml': two,
    'catalog/a b#.yaml': 'a: [',
  },
})
afterAll(() => portal[Symbol.asyncDispose]())

const at = async ({ owner, name }: RepositoryId): Promise<string> => {
  const head = await portal.git.head({ owner, name })
  if (!head.ok) throw new Error(head.error.kind)
  return `${SITE}/${owner}/${name}/blob/${head.value.commit}`
}
const read = async (path: string): Promise<{ headers: Headers; body: unknown }> => {
  const response = await portal.request(path, { as: 'dev' })
  expect(response.status).toBe(200)
  return { headers: response.headers, body: await response.json() }
}
interface Problem {
  readonly path: string
  readonly line: number | null
  readonly url: string | null
}

describe('pages of the git host', () => {
  test('an entity names its file and line, and the page of it', async () => {
    const root = await at(GITOPS)
    const { headers } = await read(`${API}/entities/component/second`)
    expect(headers.get('x-catalog-file')).toBe('catalog/two.yaml:11')
    expect(headers.get('x-catalog-file-url')).toBe(`${root}/catalog/two.yaml#L11`)
  })

  test('a problem has the page of its line in its own repository', async () => {
    await portal.commit({ 'templates/bad/template.yaml': 'a: [' }, TEMPLATES)
    const [gitops, templates] = [await at(GITOPS), await at(TEMPLATES)]
    const problems = (await read(`${API}/problems`)).body as readonly Problem[]
    expect(problems.map(({ path, line, url }) => [path, line, url])).toStrictEqual([
      ['catalog/a b#.yaml', 1, `${gitops}/catalog/a%20b%23.yaml#L1`],
      ['templates/bad/template.yaml', null, `${templates}/templates/bad/template.yaml`],
    ])
  })

  test('a path that no page can have has none', () => {
    const pages = createSourcePages(portal.git, GITOPS)
    for (const path of ['catalog/fünf.yaml', '../x', 'a//b', '']) {
      expect(pages.file(ObjectId.of('1'.repeat(40)), path, null)).toBeNull()
    }
  })

  test('a state and the rows of a history have the pages of their commits', async () => {
    const promotion = `${API}/entities/component/shop/promotion`
    const state = (await read(promotion)).body as { revision: string; revisionUrl: string }
    expect(state.revisionUrl).toBe(`${SITE}/acme/gitops/commit/${state.revision}`)
    await portal.commit({
      'apps/payments/shop/overlays/dev/kustomization.yaml': 'resources: [../../base]\n',
    })
    const rows = (await read(`${promotion}/history?environment=dev`)).body as readonly {
      readonly commit: string
      readonly commitUrl: string
    }[]
    expect(rows.length).toBeGreaterThan(0)
    for (const { commit, commitUrl } of rows) {
      expect(commitUrl).toBe(`${SITE}/acme/gitops/commit/${commit}`)
    }
  })
})
