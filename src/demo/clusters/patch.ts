import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ok } from '../../lib/result.ts'
import { isObject, parseJson } from '../../lib/text/json.ts'
import type { Deployment } from './objects.ts'
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

/** The deployment after a patch of its labels, annotations, replicas or pause, or of the annotations of its template. */
export function applyPatch(
  before: Deployment,
  contentType: string | null,
  text: string,
): Outcome<Deployment> {
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
    const why = `${field}: ${first?.message}; the demo changes labels, annotations, replicas and paused only`
    const { name } = before.metadata
    return refuse(422, 'Invalid', `Deployment.apps "${name}" is invalid: ${why}`, {
      name,
      group: 'apps',
      kind: 'Deployment',
    })
  }
  const { labels, annotations } = patch.metadata ?? {}
  const { replicas = before.spec.replicas, paused, template } = patch.spec ?? {}
  const { metadata, spec } = before
  const { paused: wasPaused, ...rest } = spec
  const isPaused = paused === undefined ? wasPaused : paused
  return ok({
    ...before,
    metadata: {
      ...metadata,
      labels: merged(metadata.labels, labels),
      annotations: merged(metadata.annotations, annotations),
    },
    spec: {
      ...rest,
      replicas,
      ...(isPaused && { paused: true }),
      template: {
        ...spec.template,
        metadata: {
          ...spec.template.metadata,
          annotations: merged(spec.template.metadata?.annotations, template?.metadata?.annotations),
        },
      },
    },
  })
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
