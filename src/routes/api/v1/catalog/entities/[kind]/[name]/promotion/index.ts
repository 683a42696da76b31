import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { placementsOf } from '#src/lib/domain/promotion/permitted-state.ts'
import { PromotionRequest } from '#src/lib/domain/promotion/request.ts'
import { readJson } from '#src/lib/http/body.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'
import { reviewRequestOf } from '#src/lib/presenters/clusters/request.ts'
import { limited, reads, writesOrPreviews } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { prefersAsync } from '#src/lib/http/negotiation.ts'
import { problem } from '#src/lib/http/problem.ts'
import {
  previewBody,
  promotedBody,
  PromotionOutcome,
  PromotionPreviewSchema,
} from '#src/lib/presenters/promotion/schemas.ts'
import {
  acceptedMove,
  acceptedMoveContent,
  acceptedMoveHeaders,
  preferAsyncMove,
} from '#src/lib/presenters/promotion/run.ts'
import { exampleState } from '#src/lib/presenters/promotion/example-state.ts'
import { PROMOTION_REVISION, promotionHeaderDocs } from '#src/lib/presenters/promotion/revision.ts'
import { PromotionState, stateBody } from '#src/lib/presenters/promotion/state.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { entityRef } from '#src/lib/domain/catalog/entity.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { json } from '#src/lib/http/respond.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { session } from '#src/lib/http/session.ts'

const BODY_MAX_BYTES = 512 * 1024

const Query = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: 'Only previews the pull request' })),
})

const read = operation({
  id: 'getPromotion',
  scope: 'catalog:read',
  tag: 'Promotion',
  summary: 'Get the promotion state of an application',
  description: 'Read at the current head of the default branch, not from the cached catalog.',
  tagged: true,
  responses: {
    200: {
      description: 'The promotion state',
      content: { schema: PromotionState, example: exampleState },
      headers: promotionHeaderDocs,
    },
  },
  problems: [404, 409, 422, 429, 502, 503, 504],
})

const outcome = { schema: PromotionOutcome }
const write = operation({
  id: 'promote',
  scope: 'promotion:write',
  tag: 'Promotion',
  summary: 'Propose a promotion, a release or a deprecation',
  description:
    'Opens a pull request; Portico itself deploys nothing. To the next lifecycle it is a promotion, which waits for its confirmation once it is merged. To an environment without an overlay that the lifecycle has passed, because it was added later, it is a promotion without a confirmation. To an environment that is live already it is a release: it changes what `overlayConfig` names, such as the image, and nothing else, and there is nothing to confirm. To `deprecated` it is a deprecation. A repeated request finds the same pull request, and updates it if the files differ. Secrets are written first; a secret store that decides by its own policy may refuse them to the person (`secret_store_forbidden`) or not accept their sign-in (`secret_store_unauthorized`), and then nothing is proposed.',
  query: Query,
  headers: preferAsyncMove,
  body: {
    schema: PromotionRequest,
    example: {
      targetLifecycle: 'staging',
      overlayConfig: {
        replicas: 2,
        resources: {
          requests: { cpu: '200m', memory: '256Mi' },
          limits: { memory: '512Mi' },
        },
        ingress: { host: 'payments-api.staging.acme.example' },
      },
    },
  },
  responses: {
    200: {
      description:
        'The pull request was open already, the overlay is already on the default branch, or a release of secrets alone was written; with `dryRun=true` a preview',
      content: {
        schema: Type.Union([PromotionOutcome, PromotionPreviewSchema], { $id: 'PromotionAnswer' }),
      },
    },
    201: {
      description: 'A pull request was opened',
      content: outcome,
      headers: { Location: 'URL of the pull request' },
    },
    202: {
      description:
        'Every check has passed, and the move waits for the git host, or the client sent `Prefer: respond-async`: its run goes on by itself, also after a restart',
      content: acceptedMoveContent,
      headers: acceptedMoveHeaders,
    },
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504],
})

type Needed = Pick<
  Deps,
  | 'promotion'
  | 'promotionRevision'
  | 'clusters'
  | 'claims'
  | 'secretActors'
  | 'usage'
  | 'gitopsPages'
>

export default ({
  promotion,
  promotionRevision,
  clusters,
  claims,
  secretActors,
  usage,
  gitopsPages,
}: Needed) => {
  const parseQuery = createQueryParser(Query)
  const params = pathParameters(EntityParameters)
  const reading = new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      async ({ request, params, session }) => {
        const { requestId, address } = contextOf(request)
        const { principal } = session
        // Before the state is read, so that it is never older.
        const revision = promotionRevision(entityRef(params.kind, params.name))
        const state = await promotion.state({ ...params, principal, requestId, address })
        if (!state.ok) return problem(request, state.error)
        const placements = placementsOf(state.value)
        const runsOn = await clusters.runsOn(reviewRequestOf(request, session), placements)
        return taggedJson(request, stateBody(state.value, runsOn, gitopsPages), {
          ...(revision !== null && { [PROMOTION_REVISION]: revision }),
        })
      },
      { params, ...read },
    )
  const proposing = new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writesOrPreviews))
    .post(
      '',
      async ({ request, params, decider }) => {
        const query = parseQuery(request.url)
        const body = await readJson(request, BODY_MAX_BYTES)
        if (!body.ok) return problem(request, body.error)
        const parsed = promotion.parsePromotion(body.value)
        if (!query.ok || !parsed.ok) {
          const errors = [
            ...(query.ok ? [] : query.error.errors),
            ...(parsed.ok ? [] : parsed.error),
          ]
          return problem(request, { kind: 'validation_failed', errors })
        }
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const entityRequest = { ...params, principal, requestId, address }
        const secretActor = () => secretActors.of(decided.value, { requestId, address })
        if (query.value.dryRun === true) {
          const preview = await promotion.preview(entityRequest, parsed.value, secretActor)
          return preview.ok ? json(previewBody(preview.value)) : problem(request, preview.error)
        }
        const isAsync = prefersAsync(request)
        const promoted = await promotion.promote(entityRequest, parsed.value, secretActor, isAsync)
        if (!promoted.ok) {
          const { error } = promoted
          return error.kind === 'waiting' ? acceptedMove(error, isAsync) : problem(request, error)
        }
        const { proposed } = promoted.value
        return proposed?.created === true
          ? json(promotedBody(promoted.value), {
              status: 201,
              headers: { location: proposed.pullRequest.url },
            })
          : json(promotedBody(promoted.value))
      },
      { parse: 'none', params, ...write },
    )
  return new Elysia().use(reading).use(proposing)
}
