import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { answerRestart, restartAnswers } from '#src/lib/presenters/clusters/restart.ts'
import { RestartedParameters } from '#src/lib/presenters/clusters/workload-schemas.ts'

const description = operation({
  id: 'restartWorkload',
  scope: 'clusters:restart',
  tag: 'Clusters',
  summary: 'Restart a deployment, a stateful set or a daemon set, like `kubectl rollout restart`',
  description:
    'Uses your own token. The rollout has begun when the `observedGeneration` of the workload reaches `generation`. A second restart within the same second changes nothing.',
  ...restartAnswers,
})

export default ({ clusters, claims, usage }: Pick<Deps, 'clusters' | 'claims' | 'usage'>) =>
  new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      ({ request, params, decider }) =>
        answerRestart(request, clusters, decider, params.kind, params),
      { parse: 'none', params: pathParameters(RestartedParameters), ...description },
    )
