import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { changedPart, type Delivery } from '#src/lib/domain/gitops/delivery.ts'
import { drain } from '#src/lib/http/body.ts'
import { createDeliveryReader } from '#src/lib/http/delivery.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { noContent } from '#src/lib/http/respond.ts'

const BODY_MAX_BYTES = 32 * 1024 * 1024

const description = operation({
  id: 'refreshCatalog',
  tag: 'Webhooks',
  summary: 'Mark what is known of the gitops repository as outdated',
  description:
    'For pushes to the gitops repository, and for its pull requests. The sender authenticates with the webhook token as bearer token, with a signature of the body made with it in `X-Hub-Signature-256`, or, as GitLab does, with the token in `X-Gitlab-Token`. Every later request sees the state of the repository at this call or a newer one, and streams of pages tell what has changed; other replicas follow within a second. The content of a call with the bearer token is ignored. A signed call, or one of GitLab, whose `X-GitHub-Event`, `X-Gitlab-Event`, `X-Gitea-Event`, `X-Forgejo-Event` or `X-Gogs-Event` names another event than `push` and `pull_request` (`Push Hook` and `Merge Request Hook`), or whose payload (JSON, or a form with the field `payload`) is of another repository, or the push of another branch than the default one, changes nothing.',
  open: true,
  security: [{ webhookToken: [] }],
  responses: {
    204: {
      description:
        'The next request reads the repository again, unless the call is about something else',
    },
  },
  problems: [401, 403, 413, 429],
})

export default ({
  invalidations,
  webhookTokens,
  failedWebhookCalls,
  gitopsRepository,
}: Pick<Deps, 'invalidations' | 'webhookTokens' | 'failedWebhookCalls' | 'gitopsRepository'>) => {
  async function refuse(request: Request): Promise<Response> {
    const { address, requestId } = contextOf(request)
    const failure = { kind: 'webhook_unauthorized' } as const
    const counted = await failedWebhookCalls.failed({
      address,
      requestId,
      result: 'denied',
      code: failure.kind,
    })
    return problem(request, counted.ok ? failure : counted.error)
  }

  /** GitHub signs the raw body; Gitea signs the payload in a form. */
  function isPayloadSigned({ headers }: Request, { payload }: Delivery): boolean {
    const signature = webhookTokens.verifySignature(headers.get('x-hub-signature-256'))
    if (signature === undefined || payload === undefined) return false
    signature.update(new TextEncoder().encode(payload))
    return signature.matches()
  }

  return new Elysia().post(
    '',
    async ({ request }) => {
      const { headers } = request
      const hasToken = webhookTokens.verifyBearer(headers.get('authorization'))
      const signature = webhookTokens.verifySignature(headers.get('x-hub-signature-256'))
      const isGitLab = webhookTokens.verifyToken(headers.get('x-gitlab-token'))
      if (!hasToken && !isGitLab && signature === undefined) return refuse(request)
      const reader = createDeliveryReader(headers)
      const drained = await drain(request, BODY_MAX_BYTES, (part) => {
        signature?.update(part)
        if (!hasToken) reader.add(part)
      })
      if (!drained.ok) return problem(request, drained.error)
      if (hasToken) {
        await invalidations.files.invalidate()
        return noContent()
      }
      const delivery = reader.read()
      const isProved =
        isGitLab || signature?.matches() === true || isPayloadSigned(request, delivery)
      if (!isProved) return refuse(request)
      const changed = changedPart(delivery, gitopsRepository)
      if (changed !== null) await invalidations[changed].invalidate()
      return noContent()
    },
    { parse: 'none', ...description },
  )
}
