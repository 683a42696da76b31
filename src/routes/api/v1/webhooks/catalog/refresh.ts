import { Elysia } from 'elysia'
import type { Deps } from '#src/app.ts'
import { drain } from '#src/lib/http/body.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { noContent } from '#src/lib/http/respond.ts'

const BODY_MAX_BYTES = 32 * 1024 * 1024

const description = operation({
  id: 'refreshCatalog',
  tag: 'Webhooks',
  summary: 'Mark the cached catalog as outdated',
  description:
    'For pushes to the gitops repository. The sender authenticates with the webhook token as bearer token, or with a signature of the body made with it in `X-Hub-Signature-256`. The content of the body is ignored. Every later request sees the state of the repository at this call or a newer one; other replicas follow within a second.',
  open: true,
  security: [{ webhookToken: [] }],
  responses: { 204: { description: 'The next request reads the repository again' } },
  problems: [401, 403, 413, 429],
})

export default ({
  invalidation,
  webhookTokens,
  failedWebhookCalls,
}: Pick<Deps, 'invalidation' | 'webhookTokens' | 'failedWebhookCalls'>) => {
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

  return new Elysia().post(
    '',
    async ({ request }) => {
      const { headers } = request
      const hasToken = webhookTokens.verifyBearer(headers.get('authorization'))
      const signature = webhookTokens.verifySignature(headers.get('x-hub-signature-256'))
      if (!hasToken && signature === undefined) return refuse(request)
      const read = await drain(request, BODY_MAX_BYTES, (part) => signature?.update(part))
      if (!read.ok) return problem(request, read.error)
      if (!hasToken && signature?.matches() !== true) return refuse(request)
      await invalidation.invalidate()
      return noContent()
    },
    { parse: 'none', ...description },
  )
}
