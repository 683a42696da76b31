import type { Failure } from './failure.ts'
import { type ProblemRow, type ProblemTable, RETRY_SOON } from './problem-table.ts'
import { catalogProblems } from './problems/catalog.ts'
import { cliProblems } from './problems/cli.ts'
import { clustersProblems } from './problems/clusters.ts'
import { gitHostProblems } from './problems/git-host.ts'
import { promotionProblems } from './problems/promotion.ts'
import { requestProblems } from './problems/request.ts'
import { scaffoldProblems } from './problems/scaffold.ts'
import { secretStoreProblems } from './problems/secret-store.ts'
import { serviceProblems } from './problems/service.ts'
import { signInProblems } from './problems/sign-in.ts'
import { contextOf } from './request-context.ts'

/** The HTTP answer to every failure. A new kind of failure does not compile until a subject has a row for it. */
const problems: ProblemTable<Failure> = {
  ...requestProblems,
  ...signInProblems,
  ...catalogProblems,
  ...scaffoldProblems,
  ...promotionProblems,
  ...secretStoreProblems,
  ...clustersProblems,
  ...gitHostProblems,
  ...cliProblems,
  ...serviceProblems,
}

export const problemCodes: readonly string[] = [
  ...new Set(Object.entries<ProblemRow<never>>(problems).map(([kind, { code = kind }]) => code)),
].toSorted()

/** The codes of each status and their titles, for the description of the answers. */
export const problemTitles = Map.groupBy(
  Object.entries<ProblemRow<never>>(problems).map(([kind, { status, code = kind, title }]) => ({
    status,
    code,
    title,
  })),
  ({ status }) => status,
)

/** Body of a failure in an event stream, whose status was sent before. */
export function streamedProblem<Kind extends Failure['kind']>(
  failure: Extract<Failure, { kind: Kind }>,
) {
  const kind: Kind = failure.kind
  const { code = kind, title, members }: ProblemRow<typeof failure> = problems[kind]
  return { code, title, ...members?.(failure) }
}

/** The words of a failure for the journal of a run, which ends long after its request was answered. */
export function recordedProblem(failure: { readonly kind: string }): {
  readonly code: string
  readonly message: string
} {
  const { code, title, ...members } = streamedProblem(
    isFailure(failure) ? failure : { kind: 'internal_error' },
  )
  const detail = 'detail' in members ? members.detail : undefined
  return { code, message: typeof detail === 'string' ? `${title}: ${detail}` : title }
}

/** A kind has one shape. */
const isFailure = (failure: { readonly kind: string }): failure is Failure =>
  Object.hasOwn(problems, failure.kind)

/** A renderer of problem details (RFC 9457), which never contain submitted values. */
export function problemRenderer<Causes extends { readonly kind: string }>(
  table: ProblemTable<Causes>,
) {
  return function problem<Kind extends Causes['kind']>(
    request: Request,
    failure: { readonly kind: Kind } & Extract<Causes, { kind: Kind }>,
  ): Response {
    const context = contextOf(request)
    const { requestId, path } = context
    const kind: Kind = failure.kind
    const row: ProblemRow<typeof failure> = table[kind]
    const { status, code = kind, title, members, headers } = row
    const body = {
      type: `urn:portico:problem:${code}`,
      title,
      status,
      code,
      instance: path,
      requestId,
      ...members?.(failure, context),
    }
    return new Response(JSON.stringify(body), {
      status,
      headers: {
        'content-type': 'application/problem+json',
        ...(status === 503 && RETRY_SOON),
        ...headers?.(failure, context),
      },
    })
  }
}

export const problem = problemRenderer(problems)

/** A failure in an Elysia hook, which only a throw can stop. `error-handler.ts` renders it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}
