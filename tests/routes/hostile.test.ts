import { expect, test } from 'bun:test'
import { hostileYaml } from '#tests/support/hostile-yaml.ts'
import { component, openPortal, type TestPortal } from '#tests/support/portal.ts'

const GOOD = 50
/** Generous: it distinguishes a parser in a worker from one on the event loop. `bench/catalog.ts` measures the goal of 20 ms. */
const STALL_MAX_MS = 500

interface ProblemBody {
  readonly path: string
  readonly code: string
}

/** Longest time that the event loop was blocked. */
function watchStalls() {
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  return () => {
    clearInterval(timer)
    return longest
  }
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
  const stalls = watchStalls()
  const response = await portal.request('/api/v1/catalog/entities?owner=payments', { as: 'dev' })
  const longest = stalls()
  expect(response.status).toBe(200)
  expect(response.headers.get('x-total-count')).toBe(String(GOOD))
  expect(longest).toBeLessThan(STALL_MAX_MS)

  const problems = await allProblems(portal)
  for (const [index, [name, { code }]] of hostile.entries()) {
    const codes = problems.filter(({ path }) => path === pathOf(index)).map((found) => found.code)
    if (code !== null) expect([name, codes]).toStrictEqual([name, expect.arrayContaining([code])])
  }
  expect((Object.prototype as { polluted?: boolean }).polluted).toBeUndefined()
}, 60_000)

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

  const list = await portal.request('/api/v1/catalog/entities', { as: 'dev' })
  expect(list.headers.get('x-total-count')).toBe('1')
  const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
  expect(await problems.json()).toMatchObject([
    { path: 'catalog/folder', code: 'file_symbolic_link' },
    { path: 'catalog/link.yaml', code: 'file_symbolic_link' },
    { path: 'catalog/module', code: 'file_submodule' },
  ])
})

test('a folder that is a hundred million paths hides itself, is named, and makes nobody wait for it', async () => {
  await using portal = await openPortal()
  const script = `
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x
    line='100644 blob '$(printf 'a: 1' | git hash-object -w --stdin)
    for level in 1 2 3 4 5 6 7 8; do
      tree=$(for name in 0 1 2 3 4 5 6 7 8 9; do printf '%s\t%s.yaml\n' "$line" $name; done | git mktree)
      line="040000 tree $tree"
    done
    catalog=$( (git ls-tree main:catalog; printf '%s\tbomb\n' "$line") | git mktree)
    root=$(printf '040000 tree %s\tcatalog\n' $catalog | git mktree)
    git update-ref refs/heads/main $(git commit-tree -p main -m planted $root)`
  const run = Bun.spawn(['bash', '-euc', script], { cwd: portal.repository, stderr: 'pipe' })
  expect([await run.exited, await new Response(run.stderr).text()]).toStrictEqual([0, ''])

  const list = await portal.request('/api/v1/catalog/entities', { as: 'dev' })
  expect([list.status, list.headers.get('x-total-count')]).toStrictEqual([200, '1'])
  const problems = await portal.request('/api/v1/catalog/problems?limit=1', { as: 'dev' })
  expect(await problems.json()).toMatchObject([{ path: 'catalog/bomb', code: 'files_too_many' }])
}, 60_000)
