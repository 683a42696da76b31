import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ok } from '../../../lib/result.ts'
import type { Deployment, DeploymentSpec } from '../objects.ts'
import { isObject } from '../../../lib/text/json.ts'
import { type Cause, causesOf, invalid, invalidValue } from './object-refusal.ts'
import type { Outcome } from './refusal.ts'
import { resources } from './resources.ts'

/** Validates a patched deployment: controllers rely on these types and limits. */

/** The simulation keeps an object for every pod. */
const REPLICAS_MAX = 50
const SECONDS_MAX = 86_400

const texts = Type.Record(Type.String(), Type.String())
const seconds = Type.Optional(Type.Integer({ minimum: 0, maximum: SECONDS_MAX }))
const countOrPercentage = Type.Optional(
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^\\d{1,3}%$' })]),
)
const named = Type.Array(Type.Object({ name: Type.String({ minLength: 1 }) }))
const container = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
  image: Type.String({ minLength: 1 }),
  restartPolicy: Type.Optional(Type.Literal('Always')),
  env: Type.Optional(named),
})

const Spec = Type.Object({
  replicas: Type.Integer({ minimum: 0, maximum: REPLICAS_MAX }),
  paused: Type.Optional(Type.Boolean()),
  minReadySeconds: seconds,
  progressDeadlineSeconds: Type.Integer({ minimum: 1, maximum: SECONDS_MAX }),
  revisionHistoryLimit: Type.Optional(Type.Integer({ minimum: 0 })),
  selector: Type.Object({ matchLabels: texts }),
  strategy: Type.Object({
    type: Type.Enum(['RollingUpdate', 'Recreate']),
    rollingUpdate: Type.Optional(
      Type.Object({ maxSurge: countOrPercentage, maxUnavailable: countOrPercentage }),
    ),
  }),
  template: Type.Object({
    metadata: Type.Object({ labels: texts, annotations: Type.Optional(texts) }),
    spec: Type.Object({
      containers: Type.Array(container, { minItems: 1 }),
      initContainers: Type.Optional(Type.Array(container)),
      restartPolicy: Type.Literal('Always'),
      terminationGracePeriodSeconds: seconds,
    }),
  }),
})

const DEFAULTS = {
  replicas: 1,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
}

/** Other members of a specification are kept unchecked. */
const isSpec = (spec: unknown): spec is DeploymentSpec & Static<typeof Spec> =>
  Value.Check(Spec, spec)

export function readSpec(before: Deployment, patched: unknown): Outcome<DeploymentSpec> {
  const { name } = before.metadata
  const spec = isObject(patched) ? { ...DEFAULTS, ...patched } : patched
  if (!isSpec(spec)) return invalid(resources.deployments, name, causesOf('spec', Spec, spec))
  const causes: Cause[] = []
  if (!Bun.deepEquals(spec.selector, before.spec.selector)) {
    causes.push(invalidValue('spec.selector', spec.selector, 'field is immutable'))
  }
  const { labels } = spec.template.metadata
  const isSelected = Object.entries(spec.selector.matchLabels).every(
    ([label, value]) => labels[label] === value,
  )
  if (!isSelected) {
    causes.push(
      invalidValue(
        'spec.template.metadata.labels',
        labels,
        '`selector` does not match template `labels`',
      ),
    )
  }
  return causes.length > 0 ? invalid(resources.deployments, name, causes) : ok(spec)
}
