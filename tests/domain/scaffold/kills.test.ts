import { Database } from 'bun:sqlite'
import { test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { expectSurvival } from '#tests/support/kills.ts'
import { GITOPS, template, TEMPLATES } from '#tests/support/portal.ts'
import { createRepository, refsOf } from '#tests/support/repository.ts'

const DEADLINE_MS = 120_000

async function prepare(directory: string): Promise<void> {
  const host = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  await createRepository(host, GITOPS, { 'README.md': 'gitops' })
  await createRepository(host, TEMPLATES, {
    'templates/service/template.yaml': template('service'),
    'templates/service/skeleton/README.md': '# {{ values.appName }}\n',
  })
}

async function census(directory: string) {
  const git = join(directory, 'git/acme')
  const commits = await Bun.$`git --git-dir=${join(git, 'shop.git')} rev-list --count main`
    .quiet()
    .text()
  const database = new Database(join(directory, 'portico.sqlite'), { readonly: true })
  const runs = database
    .query<{ status: string; secret: string }, []>(
      `SELECT status, json_extract(state, '$.steps.create_secret.message') AS secret FROM run`,
    )
    .all()
  const origins = await readdir(join(directory, 'origins'))
  database.close()
  return {
    repositories: (await readdir(git)).filter((name) => name.endsWith('.git')).toSorted(),
    commits: Number(commits),
    ...(await refsOf(join(git, 'gitops.git'))),
    // Less what a writer that died left beside its version, which the next write of the entry clears away.
    secrets: (await readdir(join(directory, 'secrets/payments/shop/dev/env'))).filter((name) =>
      name.endsWith('.sealed'),
    ),
    origins,
    runs,
  }
}

const ONE_OF_EACH = {
  repositories: ['gitops.git', 'shop.git', 'templates.git'],
  commits: 1,
  branches: ['refs/heads/main', 'refs/heads/scaffold/payments/shop'],
  pulls: ['refs/pull/1/head'],
  secrets: ['1.sealed'],
  origins: ['payments_shop_dev_env'],
  runs: [{ status: 'complete', secret: 'Created payments/shop/dev/env' }],
}

test(
  'killed at every point between two effects, and at many twice: in the end there is one of each',
  () =>
    expectSurvival({
      program: 'scaffold-process.ts',
      answer: 'done',
      prepare,
      census,
      expected: ONE_OF_EACH,
      points: 21,
      deaths: (points) => [
        ...Array.from({ length: points }, (_, index) => [index + 1]),
        ...Array.from({ length: 2 * points }, (_, index) => [
          (index % points) + 1,
          ((index * 5) % 11) + 1,
        ]),
      ],
    }),
  DEADLINE_MS,
)
