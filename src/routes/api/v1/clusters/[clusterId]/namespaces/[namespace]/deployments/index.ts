import { Elysia } from 'elysia'
import type { Deps } from '#src/app.ts'
import { createListing, listing } from '#src/lib/presenters/clusters/listing.ts'
import { Deployment, NamespaceParameters } from '#src/lib/presenters/clusters/schemas.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = listing('deployments', {
  id: 'listDeployments',
  schema: Deployment,
  description: 'The status message is that of `kubectl rollout status`.',
})

type Needed = Pick<Deps, 'clusters' | 'stopping' | 'secureCookies'>

export default ({ clusters, ...options }: Needed) =>
  new Elysia().use(session).get('', createListing(clusters.deployments, options), {
    params: pathParameters(NamespaceParameters),
    ...description,
  })
