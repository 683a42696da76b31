import { test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { expectSurvival } from '#tests/support/kills.ts'
import { GITOPS } from '#tests/support/portal.ts'
import { createRepository, refsOf } from '#tests/support/repository.ts'

const DEADLINE_MS = 180_000

async function prepare(directory: string): Promise<void> {
  const host = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  await createRepository(host, GITOPS, applicationFiles())
}

const census = async (directory: string) => ({
  ...(await refsOf(join(directory, 'git/acme/gitops.git'))),
  secrets: await readdir(join(directory, 'secrets/payments/shop/dev/env')),
})

const ONE_OF_EACH = {
  branches: ['refs/heads/main', 'refs/heads/promote/payments/shop/dev'],
  pulls: ['refs/pull/1/head'],
  secrets: ['1.sealed'],
}

test(
  'killed at every point between two effects, once and twice, then asked again: one of each',
  () =>
    expectSurvival({
      program: 'promotion-process.ts',
      answer: 'ok',
      prepare,
      census,
      expected: ONE_OF_EACH,
      points: 9,
      deaths: (points) =>
        Array.from({ length: points }, (_, index) => [
          [index + 1],
          [index + 1, ((index * 5) % points) + 1],
        ]).flat(),
    }),
  DEADLINE_MS,
)
