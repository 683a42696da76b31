import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { applicationFiles } from '#tests/support/application.ts'
import { hostileYaml } from '#tests/support/hostile-yaml.ts'
import { plantPaths } from '#tests/support/plant-paths.ts'
import { component, openPortal, type TestPortal } from '#tests/support/portal.ts'
import { preview, promote } from '#tests/support/promotion.ts'

const GOOD = 50
/** More than any catalog of these tests has, and a walk of little time. */
const SMALL = { CATALOG_FILES_MAX: '2000' }

interface ProblemBody {
  readonly path: string
  readonly code: string
}

const pathOf = (index: number): string => `catalog/hostile/h${String(index).padStart(3, '0')}.yaml`

async function allProblems(portal: TestPortal): Promise<readonly ProblemBody[]> {
  const found: ProblemBody[] = []
  let next: string | undefined = '/api/v1/catalog/problems?limit=1000'
  while (next !== undefined) {
    const page = await portal.request(next, { as: 'dev' })
    found.push(...((await page.json()) as ProblemBody[]))
    next = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
  }
  return found
}

/** A busy machine may take longer for the first catalog than a request waits: 503, come again. */
async function loaded(portal: TestPortal, path: string): Promise<Response> {
  for (;;) {
    const answer = await portal.request(path, { as: 'dev' })
    if (answer.status !== 503) return answer
  }
}

test('a repository full of hostile files serves every other file, and names each', async () => {
  const hostile = Object.entries(hostileYaml)
  const files = Object.fromEntries([
    ...hostile.map(([, { bytes }], index) => [pathOf(index), bytes] as const),
    ...Array.from(
      { length: GOOD },
      (_, index) => [`catalog/good/g${index}.yaml`, component(`good-${index}`)] as const,
    ),
  ])
  await using portal = await openPortal({ files })
  const response = await loaded(portal, '/api/v1/catalog/entities?owner=payments')
  expect(response.status).toBe(200)
  expect(response.headers.get('x-total-count')).toBe(String(GOOD))

  const problems = await allProblems(portal)
  for (const [index, [name, { code }]] of hostile.entries()) {
    const codes = problems.filter(({ path }) => path === pathOf(index)).map((found) => found.code)
    if (code !== null) expect([name, codes]).toStrictEqual([name, expect.arrayContaining([code])])
  }
  expect((Object.prototype as { polluted?: boolean }).polluted).toBeUndefined()
})

test('symbolic links and submodules are named and not followed', async () => {
  await using portal = await openPortal()
  const script = `
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_INDEX_FILE=$PWD/planted-index
    export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x
    git read-tree main
    link=$(printf /etc/passwd | git hash-object -w --stdin)
    git update-index --add --cacheinfo 120000,$link,catalog/link.yaml
    git update-index --add --cacheinfo 160000,$(git rev-parse main),catalog/module
    git update-index --add --cacheinfo 120000,$link,catalog/folder
    git update-ref refs/heads/main $(git commit-tree -p main -m planted $(git write-tree))`
  const run = Bun.spawn(['bash', '-euc', script], { cwd: portal.repository, stderr: 'pipe' })
  expect([await run.exited, await new Response(run.stderr).text()]).toStrictEqual([0, ''])

  const list = await loaded(portal, '/api/v1/catalog/entities')
  expect(list.headers.get('x-total-count')).toBe('1')
  const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
  expect(await problems.json()).toMatchObject([
    { path: 'catalog/folder', code: 'file_symbolic_link' },
    { path: 'catalog/link.yaml', code: 'file_symbolic_link' },
    { path: 'catalog/module', code: 'file_submodule' },
  ])
})

describe('a folder that is a hundred million paths', () => {
  test('in the catalog hides itself, is named, and makes nobody wait for it', async () => {
    await using portal = await openPortal({ environment: SMALL })
    await plantPaths(portal.repository, 'catalog', 'bomb')
    const list = await loaded(portal, '/api/v1/catalog/entities')
    expect([list.status, list.headers.get('x-total-count')]).toStrictEqual([200, '1'])
    const problems = await portal.request('/api/v1/catalog/problems?limit=1', { as: 'dev' })
    expect(await problems.json()).toMatchObject([{ path: 'catalog/bomb', code: 'files_too_many' }])
  })

  test('beside the applications leaves the promotions and the rows of the others, and is named', async () => {
    const till = applicationFiles({ app: 'till' })
    const host = 'shop.acme.example'
    const patch = 'apps/payments/till/overlays/dev/patch-xtenant-app.yaml'
    const text = `spec:\n  parameters:\n    ingress:\n      host: ${host}\n`
    await using portal = await openPortal({
      files: { ...applicationFiles(), ...till, [patch]: text },
      environment: SMALL,
    })
    await plantPaths(portal.repository, 'apps', 'evil')
    const taken = await preview(portal, 'development', { ingress: { host } })
    expect(taken.body).toMatchObject({ code: 'host_taken', detail: `claimed by ${patch}` })
    const ingress = { host: 'other.acme.example' }
    const proposed = await promote(portal, 'development', { ingress, image: { tag: '1' } })
    expect(proposed).toMatchObject({
      status: 201,
      body: {
        warnings: [
          {
            code: 'claims_unknown',
            message: 'too many files to see every host and database that is taken in apps/evil',
          },
        ],
      },
    })
    const rows = await loaded(portal, '/api/v1/environments')
    expect(await rows.json()).toMatchObject([{ app: 'shop' }, { app: 'till' }])
    const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
    expect(await problems.json()).toMatchObject([{ path: 'apps/evil', code: 'files_too_many' }])
  })

  test('beside the templates is one invalid template', async () => {
    await using portal = await openPortal({ environment: SMALL })
    await plantPaths(join(portal.directory, 'acme/templates.git'), 'templates', 'evil')
    const list = await portal.request('/api/v1/scaffold/templates', { as: 'dev' })
    expect(list.status).toBe(200)
    expect(await list.json()).toMatchObject([{ id: 'service' }])
    const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
    expect(await problems.json()).toMatchObject([
      {
        path: 'templates/evil',
        code: 'template_invalid',
        message: 'too many files: a template may have at most 1000, and all together 50000',
      },
    ])
  })
})
