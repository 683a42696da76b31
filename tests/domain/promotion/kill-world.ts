import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS } from '#tests/support/portal.ts'
import { createRepository, refsOf } from '#tests/support/repository.ts'

/** The data directory of `tests/peers/promotion-process.ts` before its first start. */
export async function prepare(directory: string): Promise<void> {
  const host = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  await createRepository(host, GITOPS, applicationFiles())
}

/** The repository of a data directory, without its secrets. */
export const census = (directory: string) => refsOf(join(directory, 'git/acme/gitops.git'))

/** The state that an uninterrupted process leaves. */
export const ONE_OF_EACH = {
  branches: ['refs/heads/main', 'refs/heads/promote/payments/shop/dev'],
  pulls: ['refs/pull/1/head'],
}
