import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ok } from '../../lib/result.ts'
import { parseJson } from '../../lib/text/json.ts'
import { PLATFORM_GROUP } from '../people.ts'
import { TEAM_LABEL } from './manifest.ts'
import { badRequest, type Outcome, refuse, unsupportedMediaType } from './refusal.ts'
import { qualifiedName } from './resources.ts'
import type { Store } from './store.ts'

/** The user that a bearer token authenticates. */
export interface ClusterUser {
  readonly username: string
  readonly groups: readonly string[]
}

/** Facts that authorization decides on. The resource need not exist. */
export interface RequestAttributes {
  readonly verb: string
  readonly group: string
  readonly resource: string
  /** Empty for the whole object. */
  readonly subresource: string
  /** Empty at the cluster scope. */
  readonly namespace: string
  /** Empty for a collection. */
  readonly name: string
}

const READ = ['get', 'list', 'watch']
const ROLLED_OUT = [...READ, 'patch']

/** Verbs that a team is allowed in its own namespaces, by `resource/subresource.group`. */
const TEAM_RULES: Readonly<Record<string, readonly string[]>> = {
  'pods.': READ,
  'pods/log.': READ,
  'events.': READ,
  'deployments.apps': ROLLED_OUT,
  'replicasets.apps': READ,
  'statefulsets.apps': ROLLED_OUT,
  'daemonsets.apps': ROLLED_OUT,
  'jobs.batch': READ,
  'cronjobs.batch': READ,
  'services.': READ,
  'ingresses.networking.k8s.io': READ,
  'horizontalpodautoscalers.autoscaling': READ,
  'httproutes.gateway.networking.k8s.io': READ,
  'pods.metrics.k8s.io': ['get'],
}

const pathOf = ({ resource, subresource }: RequestAttributes): string =>
  subresource === '' ? resource : `${resource}/${subresource}`

/** The roles and role bindings of the demo's clusters. Groups of a team have a role in the namespaces that carry the team's label. */
export function allows(
  store: Pick<Store, 'get'>,
  { groups }: ClusterUser,
  attributes: RequestAttributes,
): boolean {
  if (groups.includes(PLATFORM_GROUP)) return true
  const { verb, group, namespace } = attributes
  if (TEAM_RULES[`${pathOf(attributes)}.${group}`]?.includes(verb) !== true) return false
  const owner = store.get('Namespace', '', namespace)?.metadata.labels?.[TEAM_LABEL]
  return owner !== undefined && groups.some((name) => name.replace(/:Managers$/, '') === owner)
}

export function forbidden({ username }: ClusterUser, attributes: RequestAttributes) {
  const { verb, group, resource, namespace, name } = attributes
  const subject = qualifiedName(resource, group) + (name === '' ? '' : ` "${name}"`)
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return refuse(
    403,
    'Forbidden',
    `${subject} is forbidden: User "${username}" cannot ${verb} resource "${pathOf(attributes)}" in API group "${group}" ${scope}`,
    { ...(name && { name }), ...(group && { group }), kind: resource },
  )
}

const text = Type.Optional(Type.String())
const AccessReview = Type.Object({
  apiVersion: Type.Literal('authorization.k8s.io/v1'),
  kind: Type.Literal('SelfSubjectAccessReview'),
  spec: Type.Object({
    resourceAttributes: Type.Object({
      namespace: text,
      verb: text,
      group: text,
      resource: text,
      subresource: text,
      name: text,
    }),
  }),
})

/** Answers what a user may do. Everybody may ask about themselves, as the role `system:basic-user` allows. */
export async function answerAccessReview(
  store: Pick<Store, 'get'>,
  user: ClusterUser,
  request: Request,
): Promise<Outcome<Response>> {
  if (!/^application\/json\b/.test(request.headers.get('content-type') ?? '')) {
    return unsupportedMediaType('application/json')
  }
  const review = parseJson(await request.text())
  if (!Value.Check(AccessReview, review)) {
    return badRequest('the body is no SelfSubjectAccessReview of authorization.k8s.io/v1')
  }
  const asked = {
    verb: '',
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    ...review.spec.resourceAttributes,
  }
  const status = { allowed: allows(store, user, asked) }
  return ok(Response.json({ ...review, metadata: {}, status }, { status: 201 }))
}
