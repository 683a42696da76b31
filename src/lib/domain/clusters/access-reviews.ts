import { createLru } from '../../concurrency/lru.ts'
import { inTime } from '../../concurrency/in-time.ts'
import type { Label } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ApiResource, Cluster, Kubernetes, ReviewedAction } from '../../ports/clusters.ts'
import type { Result } from '../../result.ts'
import type { AccessFailure, PersonRequest, WithPersonAccess } from './access.ts'
import { RESOURCES } from './resources.ts'

export interface AccessReviewsOptions {
  readonly kubernetes: Pick<Kubernetes, 'mayDo'>
  readonly withPersonAccess: WithPersonAccess
  readonly clock: Clock
}

/** A person's request about several clusters. */
export type ReviewRequest = Omit<PersonRequest, 'cluster' | 'signal'>

/** Something that a person may do in a namespace, or in every one. */
export type Right = Omit<ReviewedAction, 'namespace'>

const rightTo = (verb: Right['verb'], { group, plural }: ApiResource): Right => ({
  verb,
  group,
  resource: plural,
})
export const LIST_PODS = rightTo('list', RESOURCES.pod)
export const RESTART = rightTo('patch', RESOURCES.deployment)

type Answer = Result<boolean, AccessFailure>

interface Review {
  readonly answer: Promise<Answer>
  readonly startedAt: number
  /** Until then the answer holds. A review that is under way is joined. */
  validUntil: number
}

/** A right that somebody loses shows for so long, while the cluster itself refuses at once. */
const ANSWER_MS = 60_000
/** A cluster that cannot be asked is not asked again by every poll of a page. */
const FAILURE_MS = 5_000
const REVIEW_MS = 10_000

/**
 * Rights of people in clusters, as the clusters say (SelfSubjectAccessReview). Answers are kept per session and cluster and never
 * for another session.
 */
export function createAccessReviews({ kubernetes, withPersonAccess, clock }: AccessReviewsOptions) {
  const reviews = createLru<string, Review>()

  function start(
    request: ReviewRequest,
    { id, apiServer }: Cluster,
    namespace: Label | null,
    right: Right,
  ): Review {
    const { verb, group, resource } = right
    const { idHash } = request.session
    const key = [idHash, id, apiServer, namespace ?? '*', verb, group, resource].join(' ')
    const known = reviews.get(key)
    if (known !== undefined && clock.now() < known.validUntil) return known
    const started: Review = {
      startedAt: clock.now(),
      validUntil: Number.POSITIVE_INFINITY,
      // Nobody's own signal ends it, since others wait for the same answer.
      answer: withPersonAccess(
        { ...request, cluster: id, signal: AbortSignal.timeout(REVIEW_MS) },
        (access) => kubernetes.mayDo(access, { namespace, verb, group, resource }),
      ),
    }
    reviews.set(key, started)
    started.answer.then(
      ({ ok }) => (started.validUntil = clock.now() + (ok ? ANSWER_MS : FAILURE_MS)),
      () => (started.validUntil = 0),
    )
    return started
  }

  return {
    /** Whether the person may do this in a namespace or, with `null`, in every one. */
    ask: (...review: Parameters<typeof start>): Promise<Answer> => start(...review).answer,

    /** The same within `patienceMs` from the start of the review, which goes on; `null` while the cluster cannot be asked. */
    async glance(patienceMs: number, ...review: Parameters<typeof start>): Promise<boolean | null> {
      const { answer, startedAt } = start(...review)
      const leftMs = Math.max(0, startedAt + patienceMs - clock.now())
      const first = await inTime(answer, leftMs, null)
      return first?.ok === true ? first.value : null
    },
  }
}

export type AccessReviews = ReturnType<typeof createAccessReviews>
