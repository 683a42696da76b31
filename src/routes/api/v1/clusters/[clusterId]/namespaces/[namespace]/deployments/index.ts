import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { createListing, listing } from '#src/lib/presenters/clusters/listing.ts'
import { Deployment, NamespaceParameters } from '#src/lib/presenters/clusters/schemas.ts'
import { limited, readsOrStreams } from '#src/lib/http/limited.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = listing('deployments', {
  id: 'listDeployments',
  schema: Deployment,
  description: 'The status message is that of `kubectl rollout status`.',
})

export default ({ clusters, stopping, usage }: Pick<Deps, 'clusters' | 'stopping' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, readsOrStreams))
    .get('', createListing(clusters.deployments, stopping), {
      params: pathParameters(NamespaceParameters),
      ...description,
    })
