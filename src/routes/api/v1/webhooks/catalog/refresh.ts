import { Elysia } from 'elysia'
import type { Deps } from '#src/app.ts'
import { drain } from '#src/lib/http/body.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { noContent } from '#src/lib/http/respond.ts'

const BODY_MAX_BYTES = 32 * 1024 * 1024

const description = operation({
  id: 'refreshCatalog',
  tag: 'Webhooks',
  summary: 'Mark the cached catalog as outdated',
  description:
    'For pushes to the gitops repository. The sender authenticates with the webhook token as bearer token, or with a signature of the body made with it in `X-Hub-Signature-256`. The content of the body is ignored. Every later request sees the state of the repository at this call or a newer one.',
  open: true,
  security: [{ webhookToken: [] }],
  responses: { 204: { description: 'The next request reads the repository again' } },
  problems: [401, 403, 413],
})

export default ({ catalog, webhookTokens }: Pick<Deps, 'catalog' | 'webhookTokens'>) =>
  new Elysia().post(
    '',
    async ({ request }) => {
      const { headers } = request
      const hasToken = webhookTokens.verifyBearer(headers.get('authorization'))
      const signature = webhookTokens.verifySignature(headers.get('x-hub-signature-256'))
      if (!hasToken && signature === undefined) {
        return problem(request, { kind: 'webhook_unauthorized' })
      }
      const read = await drain(request, BODY_MAX_BYTES, (part) => signature?.update(part))
      if (!read.ok) return problem(request, read.error)
      if (!hasToken && signature?.matches() !== true) {
        return problem(request, { kind: 'webhook_unauthorized' })
      }
      catalog.invalidate()
      return noContent()
    },
    { parse: 'none', ...description },
  )
