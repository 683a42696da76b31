import type { LocalGitHost, RefChange } from '../../lib/adapters/hosts/forge/index.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { GitFailure } from '../../lib/ports/git-host.ts'
import type { Result } from '../../lib/result.ts'
import type { DemoClusters } from '../demo-clusters.ts'
import { readWanted } from './read-wanted.ts'

export interface DeliveryOptions {
  readonly gitHost: Pick<LocalGitHost, 'head' | 'listFiles' | 'readFiles' | 'repositories'>
  readonly gitops: RepositoryId
  readonly build: (repository: RepositoryId) => Promise<Result<void, GitFailure>>
  readonly clusters: Pick<DemoClusters, 'sync'>
  readonly log: { readonly warn: (about: object, text: string) => void }
}

const isSame = (one: RepositoryId, other: RepositoryId): boolean =>
  one.owner === other.owner && one.name === other.name

/** Stands in for pipelines and Argo CD: builds what is pushed to all other repositories, and runs what is merged to the gitops repository. */
export function createDelivery(options: DeliveryOptions) {
  const { gitHost, gitops, clusters, log } = options
  const pending = new Set<RepositoryId>()
  let running: Promise<void> | undefined

  async function sync(): Promise<void> {
    const wanted = await readWanted(gitHost, gitops)
    if (!wanted.ok) return log.warn({ failure: wanted.error }, 'delivery: the gitops repository')
    for (const { team, app, namespace } of clusters.sync(wanted.value)) {
      log.warn({ team, app, namespace }, 'delivery: the namespace belongs to another team')
    }
    for (const place of wanted.value.unreadable) {
      log.warn(place, 'delivery: the files do not make an application, or one too many')
    }
  }

  async function build(repository: RepositoryId): Promise<void> {
    const built = await options.build(repository)
    if (!built.ok) log.warn({ repository, failure: built.error }, 'delivery: no images were built')
  }

  /** One after another. Nothing is awaited between the last of them and the end. */
  async function work(): Promise<void> {
    for (const repository of pending) {
      pending.delete(repository)
      try {
        await (isSame(repository, gitops) ? sync() : build(repository))
      } catch (error) {
        log.warn({ err: error }, 'delivery')
      }
    }
    running = undefined
  }

  function wake(repository: RepositoryId): void {
    const isWaiting = [...pending].some((each) => isSame(each, repository))
    if (!isWaiting) pending.add(repository)
    running ??= work()
  }

  return {
    /** Builds and runs everything that is there. */
    async start(): Promise<void> {
      const repositories = await gitHost.repositories()
      for (const repository of repositories.ok ? repositories.value : []) {
        if (!isSame(repository, gitops)) await build(repository)
      }
      await sync()
    },
    onRefsChanged(repository: RepositoryId, changes: readonly RefChange[]): void {
      const changesMain = changes.some(({ ref }) => ref === 'refs/heads/main')
      if (changesMain || !isSame(repository, gitops)) wake(repository)
    },
    /** Resolves when the changes until now have been delivered. */
    settled: async (): Promise<void> => {
      await running
    },
  }
}
