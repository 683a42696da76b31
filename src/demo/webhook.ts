import type { Logger } from 'pino'
import type { RefChange } from '../lib/adapters/git-host/local/index.ts'
import type { RepositoryId } from '../lib/names.ts'

const DEADLINE_MS = 5_000

export interface WebhookOptions {
  readonly repository: RepositoryId
  /** Changes of other refs are not delivered. */
  readonly ref: string
  readonly url: URL
  readonly token: string
  readonly log: Pick<Logger, 'warn'>
}

/** Delivers webhooks about pushes to the portal over HTTP, as a real git host does. */
export function createWebhook({ repository, ref, url, token, log }: WebhookOptions) {
  const pending = new Set<Promise<void>>()

  async function deliver({ before, after }: RefChange): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ref,
          before,
          after,
          repository: { full_name: `${repository.owner}/${repository.name}` },
        }),
        redirect: 'error',
        signal: AbortSignal.timeout(DEADLINE_MS),
      })
      if (!response.ok) log.warn({ status: response.status }, 'the webhook was refused')
    } catch (error) {
      log.warn({ err: error }, 'the webhook was not delivered')
    }
  }

  return {
    onRefsChanged: ({ owner, name }: RepositoryId, changes: readonly RefChange[]): void => {
      if (owner !== repository.owner || name !== repository.name) return
      for (const change of changes) {
        if (change.ref !== ref) continue
        const delivery = deliver(change).finally(() => pending.delete(delivery))
        pending.add(delivery)
      }
    },
    /** Resolves when all pending deliveries have ended. */
    delivered: async (): Promise<void> => {
      await Promise.all(pending)
    },
  }
}
