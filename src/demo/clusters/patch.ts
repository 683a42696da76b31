import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ok } from '../../lib/result.ts'
import { isObject, parseJson } from '../../lib/text/json.ts'
import type { ApiObject, DaemonSet, Deployment, StatefulSet } from './objects.ts'
import { badRequest, type Outcome, refuse, unsupportedMediaType } from './refusal.ts'

/** The simulation keeps an object for every pod. */
const REPLICAS_MAX = 50
const PATCHES = /^application\/(?:strategic-)?merge-patch\+json\b/

const texts = Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])))
const strict = { additionalProperties: false }

/** A patch of these members is the same as a merge patch (RFC 7386) and as a strategic one. */
const Patch = Type.Object(
  {
    metadata: Type.Optional(Type.Object({ labels: texts, annotations: texts }, strict)),
    spec: Type.Optional(
      Type.Object(
        {
          replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: REPLICAS_MAX })),
          paused: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
          template: Type.Optional(
            Type.Object(
              { metadata: Type.Optional(Type.Object({ annotations: texts }, strict)) },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
)

type RolledOut = Deployment | StatefulSet | DaemonSet

export const isRolledOut = (object: ApiObject): object is RolledOut =>
  ['Deployment', 'StatefulSet', 'DaemonSet'].includes(object.kind)

/** The workload after a patch of its labels or annotations, of the annotations of its template, or of a deployment's replicas or pause. */
export function applyPatch<Of extends RolledOut>(
  before: Of,
  contentType: string | null,
  text: string,
): Outcome<Of> {
  if (!PATCHES.test(contentType ?? '')) {
    return unsupportedMediaType(
      'application/merge-patch+json, application/strategic-merge-patch+json',
    )
  }
  const patch = parseJson(text)
  if (!isObject(patch)) return badRequest('error decoding patch: not a JSON object')
  if (!Value.Check(Patch, patch)) {
    const [first] = Value.Errors(Patch, patch)
    const field = first?.instancePath.slice(1).replaceAll('/', '.') ?? ''
    return invalid(before, `${field}: ${first?.message}`)
  }
  const { labels, annotations } = patch.metadata ?? {}
  const { replicas, paused, template } = patch.spec ?? {}
  const after = structuredClone(before)
  after.metadata.labels = merged(before.metadata.labels, labels)
  after.metadata.annotations = merged(before.metadata.annotations, annotations)
  const ofPods = (after.spec.template.metadata ??= {})
  ofPods.annotations = merged(ofPods.annotations, template?.metadata?.annotations)
  if (after.kind === 'Deployment') {
    if (replicas !== undefined) after.spec.replicas = replicas
    if (paused === true) after.spec.paused = true
    else if (paused !== undefined) delete after.spec.paused
  } else if (replicas !== undefined || paused !== undefined) {
    return invalid(before, 'spec: must have a template only')
  } else if (!Bun.deepEquals(before.spec, after.spec)) {
    // Nothing simulates its controller: the rollout is over at once.
    const generation = (before.metadata.generation ?? 0) + 1
    after.metadata.generation = generation
    after.status.observedGeneration = generation
  }
  return ok(after)
}

function invalid({ kind, metadata: { name } }: RolledOut, why: string) {
  const message = `${kind}.apps "${name}" is invalid: ${why}; the demo changes labels, annotations, and replicas and paused of deployments only`
  return refuse(422, 'Invalid', message, { name, group: 'apps', kind })
}

/** `null` removes a member. */
function merged(
  before: Readonly<Record<string, string>> = {},
  patch: Readonly<Record<string, string | null>> = {},
): Record<string, string> {
  const members = Object.entries({ ...before, ...patch })
  return Object.fromEntries(
    members.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )
}
