import type { Logger } from 'pino'
import type { RefChange } from '../lib/adapters/hosts/forge/index.ts'
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
  const fullName = `${repository.owner}/${repository.name}`

  async function post(event: string, body: object): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-gitea-event': event,
        },
        body: JSON.stringify({ ...body, repository: { full_name: fullName } }),
        redirect: 'error',
        signal: AbortSignal.timeout(DEADLINE_MS),
      })
      if (!response.ok) log.warn({ status: response.status }, 'the webhook was refused')
    } catch (error) {
      log.warn({ err: error }, 'the webhook was not delivered')
    }
  }

  const isOurs = ({ owner, name }: RepositoryId) => `${owner}/${name}` === fullName

  function deliver(event: string, body: object): void {
    const delivery = post(event, body).finally(() => pending.delete(delivery))
    pending.add(delivery)
  }

  return {
    onRefsChanged: (changed: RepositoryId, changes: readonly RefChange[]): void => {
      if (!isOurs(changed)) return
      for (const { ref: changedRef, before, after } of changes) {
        if (changedRef === ref) deliver('push', { ref, before, after })
      }
    },
    /** Resolves when all pending deliveries have ended. */
    delivered: async (): Promise<void> => {
      await Promise.all(pending)
    },
  }
}
