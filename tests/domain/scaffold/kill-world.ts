import { Database } from 'bun:sqlite'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { GITOPS, template, TEMPLATES } from '#tests/support/portal.ts'
import { createRepository, refsOf } from '#tests/support/repository.ts'

/** The data directory of `tests/peers/scaffold-process.ts` before its first start. */
export async function prepare(directory: string): Promise<void> {
  const host = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  await createRepository(host, GITOPS, { 'README.md': 'gitops' })
  await createRepository(host, TEMPLATES, {
    'templates/service/template.yaml': template('service'),
    'templates/service/skeleton/README.md': '# {{ values.appName }}\n',
  })
}

/** Repositories and runs of a data directory, without its secrets. */
export async function census(directory: string) {
  const git = join(directory, 'git/acme')
  const commits = await Bun.$`git --git-dir=${join(git, 'shop.git')} rev-list --count main`
    .quiet()
    .text()
  return {
    repositories: (await readdir(git)).filter((name) => name.endsWith('.git')).toSorted(),
    commits: Number(commits),
    ...(await refsOf(join(git, 'gitops.git'))),
    runs: rowsOf(directory).map(({ status, secret }) => ({ status, secret })),
  }
}

/** The state that an uninterrupted process leaves. */
export const ONE_OF_EACH = {
  repositories: ['gitops.git', 'shop.git', 'templates.git'],
  commits: 1,
  branches: ['refs/heads/main', 'refs/heads/scaffold/payments/shop'],
  pulls: ['refs/pull/1/head'],
  runs: [{ status: 'complete', secret: 'Created payments/shop/dev/env' }],
}

export const runIdsOf = (directory: string): readonly string[] =>
  rowsOf(directory).map(({ id }) => id)

function rowsOf(directory: string) {
  const database = new Database(join(directory, 'portico.sqlite'), { readonly: true })
  const rows = database
    .query<{ id: string; status: string; secret: string }, []>(
      `SELECT id, status, json_extract(state, '$.steps.create_secret.message') AS secret FROM run`,
    )
    .all()
  database.close()
  return rows
}
