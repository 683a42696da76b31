import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { placementsOf } from '#src/lib/domain/promotion/permitted-state.ts'
import { ConfirmationRequest } from '#src/lib/domain/promotion/request.ts'
import { readOptionalJson } from '#src/lib/http/body.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'
import { reviewRequestOf } from '#src/lib/presenters/clusters/request.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { prefersAsync } from '#src/lib/http/negotiation.ts'
import { problem } from '#src/lib/http/problem.ts'
import {
  Confirmation,
  LifecycleProposal,
  pullRequestRef,
} from '#src/lib/presenters/promotion/schemas.ts'
import {
  acceptedMove,
  acceptedMoveContent,
  acceptedMoveHeaders,
  preferAsyncMove,
} from '#src/lib/presenters/promotion/run.ts'
import { AcceptedRun } from '#src/lib/presenters/scaffold/schemas.ts'
import { exampleState } from '#src/lib/presenters/promotion/example-state.ts'
import { stateBody } from '#src/lib/presenters/promotion/state.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { json } from '#src/lib/http/respond.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'

const description = operation({
  id: 'confirmPromotion',
  scope: 'promotion:confirm',
  tag: 'Promotion',
  summary: 'Finish a promotion whose pull request was merged',
  description:
    'Sets `spec.lifecycle` in the file of the entity, and leaves the rest of the file as it is. It requires only that the overlay is on the default branch, no matter which commit brought it there. While the pull request of an earlier confirmation is open, it is refused (`pr_pending`).',
  headers: preferAsyncMove,
  body: { schema: ConfirmationRequest, example: { targetLifecycle: 'staging' }, optional: true },
  responses: {
    200: {
      description: 'The entity has the confirmed lifecycle',
      content: {
        schema: Confirmation,
        example: {
          status: 'confirmed',
          previousLifecycle: 'development',
          lifecycle: 'staging',
          commit: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
          promotion: exampleState,
        },
      },
    },
    202: {
      description:
        'The default branch is protected, and a pull request with the change is open; or the confirmation waits for the git host, or the client sent `Prefer: respond-async`: its run goes on by itself',
      content: {
        schema: Type.Union([LifecycleProposal, AcceptedRun], { $id: 'ConfirmationAccepted' }),
        example: acceptedMoveContent.example,
      },
      headers: acceptedMoveHeaders,
    },
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504],
})

export default ({
  promotion,
  clusters,
  claims,
  usage,
  gitopsPages,
}: Pick<Deps, 'promotion' | 'clusters' | 'claims' | 'usage' | 'gitopsPages'>) =>
  new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, params, decider }) => {
        const body = await readOptionalJson(request)
        if (!body.ok) return problem(request, body.error)
        const parsed = promotion.parseConfirmation(body.value ?? {})
        if (!parsed.ok) {
          return problem(request, { kind: 'validation_failed', errors: parsed.error })
        }
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const entityRequest = { ...params, principal, requestId, address }
        const isAsync = prefersAsync(request)
        const { targetLifecycle } = parsed.value
        const confirmed = await promotion.confirm(entityRequest, targetLifecycle, isAsync)
        if (!confirmed.ok) {
          const { error } = confirmed
          return error.kind === 'waiting' ? acceptedMove(error, isAsync) : problem(request, error)
        }
        const { outcome, previousLifecycle, lifecycle } = confirmed.value
        const { status, pullRequest, commit } = outcome
        if (pullRequest !== null) {
          return json({ status, pullRequest: pullRequestRef(pullRequest) }, { status: 202 })
        }
        const state = await promotion.state(entityRequest)
        if (!state.ok) return problem(request, state.error)
        const placements = placementsOf(state.value)
        const requester = reviewRequestOf(request, decided.value)
        const runsOn = await clusters.runsOn(requester, placements)
        const confirmation = { status, previousLifecycle, lifecycle, commit }
        return json({ ...confirmation, promotion: stateBody(state.value, runsOn, gitopsPages) })
      },
      { parse: 'none', params: pathParameters(EntityParameters), ...description },
    )
