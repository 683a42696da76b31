import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { answerRestart, restartAnswers } from '#src/lib/presenters/clusters/restart.ts'
import { ObjectParameters } from '#src/lib/presenters/clusters/schemas.ts'

const description = operation({
  id: 'restartDeployment',
  scope: 'clusters:restart',
  tag: 'Clusters',
  summary: 'Restart a deployment, like `kubectl rollout restart`',
  description:
    'Uses your own token. The rollout has begun when the `observedGeneration` of the deployment reaches `generation`. A second restart within the same second changes nothing.',
  ...restartAnswers,
})

export default ({ clusters, claims, usage }: Pick<Deps, 'clusters' | 'claims' | 'usage'>) =>
  new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      ({ request, params, decider }) =>
        answerRestart(request, clusters, decider, 'deployment', params),
      { parse: 'none', params: pathParameters(ObjectParameters), ...description },
    )
