import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { GITOPS, path, template, TEMPLATES } from '#tests/support/portal.ts'

const SCRIPT = join(import.meta.dir, '../../peers/scaffold-process.ts')
const TWICE = 70
const AT_ONCE = 2
const DEADLINE_MS = 300_000

/** One data directory with both repositories, to copy for each try. */
async function makeOrigin(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-kills-'))
  const host = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  const files = {
    'templates/service/template.yaml': template('service'),
    'templates/service/skeleton/README.md': '# {{ values.appName }}\n',
  }
  for (const [id, content] of [
    [GITOPS, { 'README.md': 'gitops' }],
    [TEMPLATES, files],
  ] as const) {
    const made = await host.createRepository(id, {
      description: '',
      marker: 'test',
      message: 'First',
      author: { name: 'A', email: 'a@a.example' },
      files: Object.entries(content).map(([name, text]) => ({
        kind: 'write',
        path: path(name),
        bytes: new TextEncoder().encode(text),
      })),
    })
    if (!made.ok) throw new Error(made.error.kind)
  }
  return directory
}

async function run(directory: string, dieAt = 0) {
  const child = Bun.spawn([process.execPath, SCRIPT, directory, String(dieAt)], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  return { stdout: stdout.trim(), stderr, signal: child.signalCode }
}

/** Everything that a run may leave behind, wherever. */
async function census(directory: string) {
  const git = join(directory, 'git/acme')
  const bare = join(git, 'gitops.git')
  const refs = await Bun.$`git --git-dir=${bare} for-each-ref --format=${'%(refname)'}`
    .quiet()
    .text()
  const commits = await Bun.$`git --git-dir=${join(git, 'shop.git')} rev-list --count main`
    .quiet()
    .text()
  const database = new Database(join(directory, 'portico.sqlite'), { readonly: true })
  const runs = database.query('SELECT status FROM run').all()
  database.close()
  return {
    repositories: (await readdir(git)).filter((name) => name.endsWith('.git')).toSorted(),
    commits: Number(commits),
    branches: refs.split('\n').filter((ref) => ref.startsWith('refs/heads/')),
    pulls: refs.split('\n').filter((ref) => ref.startsWith('refs/pull/')),
    // Less what a writer that died left beside its version, which the next write of the entry clears away.
    secrets: (await readdir(join(directory, 'secrets/payments/shop/dev/env'))).filter((name) =>
      name.endsWith('.sealed'),
    ),
    runs,
  }
}

const ONE_OF_EACH = {
  repositories: ['gitops.git', 'shop.git', 'templates.git'],
  commits: 1,
  branches: ['refs/heads/main', 'refs/heads/scaffold/payments/shop'],
  pulls: ['refs/pull/1/head'],
  secrets: ['1.sealed'],
  runs: [{ status: 'complete' }],
}

describe('killed between two effects', () => {
  test(
    'at every point once, and at many twice: in the end there is one of each',
    async () => {
      const origin = await makeOrigin()
      const whole = `${origin}-whole`
      await cp(origin, whole, { recursive: true })
      const { stdout, stderr } = await run(whole)
      expect([stdout, stderr]).toStrictEqual([expect.stringMatching(/^\d+ done$/), ''])
      expect(await census(whole)).toStrictEqual(ONE_OF_EACH)
      const points = Number.parseInt(stdout, 10)
      expect(points).toBeGreaterThan(25)

      const once = Array.from({ length: points }, (_, index) => [index + 1])
      const twice = Array.from({ length: TWICE }, (_, index) => [
        (index % points) + 1,
        ((index * 7) % 11) + 1,
      ])
      const tries = [...once, ...twice]
      const failures: unknown[] = []
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (let deaths = tries.pop(); deaths !== undefined; deaths = tries.pop()) {
          const directory = `${origin}-${deaths.join('-')}`
          await cp(origin, directory, { recursive: true })
          for (const dieAt of deaths) await run(directory, dieAt)
          const last = await run(directory)
          const left = await census(directory)
          if (!last.stdout.endsWith(' done') || !Bun.deepEquals(left, ONE_OF_EACH)) {
            failures.push({ deaths, last, left })
          }
          await rm(directory, { recursive: true, force: true })
        }
      })
      await Promise.all(workers)
      expect(failures).toStrictEqual([])
      await Promise.all([origin, whole].map((place) => rm(place, { recursive: true, force: true })))
    },
    DEADLINE_MS,
  )
})
