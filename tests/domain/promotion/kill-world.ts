import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { KUSTOMIZATION, PATCH } from '#tests/support/live-overlay.ts'
import { GITOPS } from '#tests/support/portal.ts'
import { OVERLAY } from '#tests/support/promotion.ts'
import { createRepository, refsOf } from '#tests/support/repository.ts'

/** The data directory of `tests/peers/promotion-process.ts` before its first start. */
export const prepare = (directory: string): Promise<void> =>
  prepareWith(directory, applicationFiles())

/** The same with an environment that is live, so that the program's request is a release. */
export const prepareLive = (directory: string): Promise<void> =>
  prepareWith(directory, {
    ...applicationFiles({ lifecycle: 'development' }),
    [`${OVERLAY}/dev/kustomization.yaml`]: KUSTOMIZATION,
    [PATCH_PATH]: PATCH.replace('replicas: 2', 'replicas: 1'),
  })

/** The same with an overlay that waits for its confirmation. */
export const prepareMerged = (directory: string): Promise<void> =>
  prepareWith(directory, {
    ...applicationFiles(),
    [`${OVERLAY}/dev/kustomization.yaml`]: KUSTOMIZATION,
    [PATCH_PATH]: PATCH,
  })

/** The patch of the live environment: `PATCH` with another number of replicas. */
export const PATCH_PATH = `${OVERLAY}/dev/patch-xtenant-app.yaml`

async function prepareWith(directory: string, files: ReturnType<typeof applicationFiles>) {
  const host = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  await createRepository(host, GITOPS, files)
}

/** A text of the repository of a data directory. */
export const fileAt = (directory: string, ref: string, path: string) =>
  Bun.$`git --git-dir=${join(directory, 'git/acme/gitops.git')} show ${ref}:${path}`.quiet().text()

/** The repository of a data directory, without its secrets. */
export const census = (directory: string) => refsOf(join(directory, 'git/acme/gitops.git'))

/** The state that an uninterrupted process leaves. */
export const ONE_OF_EACH = {
  branches: ['refs/heads/main', 'refs/heads/promote/payments/shop/dev'],
  pulls: ['refs/pull/1/head'],
}
