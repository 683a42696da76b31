import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ok } from '../../../lib/result.ts'
import { parseJson } from '../../../lib/text/json.ts'
import type { Authorizer, ClusterUser } from '../access.ts'
import { readAccessReview } from './access-review-protobuf.ts'
import { isOpenPath } from './open-paths.ts'
import type { RequestAttributes } from './attributes.ts'
import { invalid } from './object-refusal.ts'
import { ReviewSpec } from './review-spec.ts'
import { badRequest, type Outcome, unsupportedMediaType } from './refusal.ts'

export const ACCESS_REVIEWS = {
  group: 'authorization.k8s.io',
  resource: 'selfsubjectaccessreviews',
}

const AccessReview = Compile(
  Type.Object({
    apiVersion: Type.Literal('authorization.k8s.io/v1'),
    kind: Type.Literal('SelfSubjectAccessReview'),
    spec: ReviewSpec,
  }),
)

/** Answers what a user may do. Everybody may ask about themselves, as the role `system:basic-user` allows. */
export async function answerAccessReview(
  allows: Authorizer,
  user: ClusterUser,
  request: Request,
): Promise<Outcome<Response>> {
  const spec = await readSpec(request)
  if (!spec.ok) return spec
  const allowed = isAllowed(allows, user, spec.value)
  if (allowed === null) return NEITHER
  return ok(
    Response.json(
      {
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: {},
        spec: spec.value,
        status: { allowed },
      },
      { status: 201 },
    ),
  )
}

async function readSpec(request: Request): Promise<Outcome<ReviewSpec>> {
  const [type] = (request.headers.get('content-type') ?? '').split(';')
  if (type === 'application/vnd.kubernetes.protobuf') {
    const spec = readAccessReview(await request.bytes())
    return spec === null ? UNREADABLE : ok(spec)
  }
  if (type !== 'application/json') {
    return unsupportedMediaType('application/json', 'application/vnd.kubernetes.protobuf')
  }
  const review = parseJson(await request.text())
  return AccessReview.Check(review) ? ok(review.spec) : UNREADABLE
}

const UNREADABLE = badRequest('the body is no SelfSubjectAccessReview of authorization.k8s.io/v1')

const NEITHER = invalid({ kind: 'SelfSubjectAccessReview', group: ACCESS_REVIEWS.group }, '', [
  {
    reason: 'FieldValueInvalid',
    field: 'spec.resourceAttributes',
    message:
      'Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
  },
])

/** `null` unless the review is about either a resource or a path. */
function isAllowed(
  allows: Authorizer,
  user: ClusterUser,
  { resourceAttributes, nonResourceAttributes }: ReviewSpec,
): boolean | null {
  if (resourceAttributes !== undefined && nonResourceAttributes === undefined) {
    return allows(user, attributesOf(resourceAttributes))
  }
  if (nonResourceAttributes === undefined || resourceAttributes !== undefined) return null
  const { path = '', verb = '' } = nonResourceAttributes
  return allows(user, attributesOf({ verb })) || (verb === 'get' && isOpenPath(path))
}

/** An empty namespace means all of them, as in a request at the cluster scope. */
const attributesOf = ({
  verb = '',
  group = '',
  resource = '',
  subresource,
  namespace,
  name,
}: NonNullable<ReviewSpec['resourceAttributes']>): RequestAttributes => ({
  verb,
  group,
  resource,
  subresource: subresource || undefined,
  namespace: namespace || undefined,
  name: name || undefined,
})
