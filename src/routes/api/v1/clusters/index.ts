import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { Cluster, clusterBody, exampleCluster } from '#src/lib/presenters/clusters/schemas.ts'
import { operation } from '#src/lib/http/operation.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listClusters',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'List the clusters that your groups may see',
  description:
    'Does not wait for clusters: the status is that of the last check, which sends no credential.',
  tagged: true,
  responses: {
    200: {
      description: 'The clusters',
      content: { schema: Type.Array(Cluster), example: [exampleCluster] },
    },
  },
})

export default ({ clusters }: Pick<Deps, 'clusters'>) =>
  new Elysia()
    .use(session)
    .get(
      '',
      ({ request, session: { principal } }) =>
        taggedJson(request, clusters.list(principal).map(clusterBody)),
      description,
    )
