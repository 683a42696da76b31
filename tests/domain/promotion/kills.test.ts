import { expect, test } from 'bun:test'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, path } from '#tests/support/portal.ts'

const SCRIPT = join(import.meta.dir, '../../peers/promotion-process.ts')
const AT_ONCE = 2

async function makeOrigin(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-promotion-kills-'))
  const host = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  const made = await host.createRepository(GITOPS, {
    description: '',
    marker: 'test',
    message: 'First',
    author: { name: 'A', email: 'a@a.example' },
    files: Object.entries(applicationFiles()).map(([name, content]) => ({
      kind: 'write',
      path: path(name),
      bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    })),
  })
  if (!made.ok) throw new Error(made.error.kind)
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
  return { stdout: stdout.trim(), stderr }
}

async function census(directory: string) {
  const bare = join(directory, 'git/acme/gitops.git')
  const refs = await Bun.$`git --git-dir=${bare} for-each-ref --format=${'%(refname)'}`
    .quiet()
    .text()
  return {
    branches: refs.split('\n').filter((ref) => ref.startsWith('refs/heads/')),
    pulls: refs.split('\n').filter((ref) => ref.startsWith('refs/pull/')),
    secrets: await readdir(join(directory, 'secrets/payments/shop/dev/env')),
  }
}

const ONE_OF_EACH = {
  branches: ['refs/heads/main', 'refs/heads/promote/payments/shop/dev'],
  pulls: ['refs/pull/1/head'],
  secrets: ['1.sealed'],
}

test('killed at every point between two effects, once and twice, then asked again: one of each', async () => {
  const origin = await makeOrigin()
  const whole = `${origin}-whole`
  await cp(origin, whole, { recursive: true })
  const first = await run(whole)
  expect(first).toStrictEqual({ stdout: expect.stringMatching(/^\d+ ok$/), stderr: '' })
  expect(await census(whole)).toStrictEqual(ONE_OF_EACH)
  const points = Number.parseInt(first.stdout, 10)
  expect(points).toBeGreaterThanOrEqual(12)

  const tries = Array.from({ length: points }, (_, index) => [
    [index + 1],
    [index + 1, ((index * 5) % points) + 1],
  ]).flat()
  const failures: unknown[] = []
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let deaths = tries.pop(); deaths !== undefined; deaths = tries.pop()) {
      const directory = `${origin}-${deaths.join('-')}`
      await cp(origin, directory, { recursive: true })
      for (const dieAt of deaths) await run(directory, dieAt)
      const last = await run(directory)
      const left = await census(directory)
      if (!last.stdout.endsWith(' ok') || !Bun.deepEquals(left, ONE_OF_EACH)) {
        failures.push({ deaths, last, left })
      }
      await rm(directory, { recursive: true, force: true })
    }
  })
  await Promise.all(workers)
  expect(failures).toStrictEqual([])
  await Promise.all([origin, whole].map((place) => rm(place, { recursive: true, force: true })))
}, 180_000)
