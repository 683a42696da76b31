import { type Static, Type } from 'typebox'
import {
  KubernetesMetadata as metadata,
  KubernetesSelector as selector,
} from './kubernetes-objects.ts'

/** The members that Portico reads of what stands around a workload. */

const text = Type.String()
const count = Type.Integer()
const port = Type.Union([count, text])
const named = Type.Partial(Type.Object({ name: text }))
const textByName = Type.Record(Type.String(), text)

export const KubernetesService = Type.Object({
  metadata,
  spec: Type.Partial(
    Type.Object({
      type: text,
      selector: textByName,
      ports: Type.Array(
        Type.Object({
          port: count,
          name: Type.Optional(text),
          protocol: Type.Optional(text),
          targetPort: Type.Optional(port),
        }),
      ),
    }),
  ),
})
export type KubernetesService = Static<typeof KubernetesService>

const Backend = Type.Partial(Type.Object({ service: named }))

export const KubernetesIngress = Type.Object({
  metadata,
  spec: Type.Partial(
    Type.Object({
      defaultBackend: Backend,
      tls: Type.Array(Type.Partial(Type.Object({ hosts: Type.Array(text) }))),
      rules: Type.Array(
        Type.Partial(
          Type.Object({
            host: text,
            http: Type.Object({ paths: Type.Array(Type.Object({ backend: Backend })) }),
          }),
        ),
      ),
    }),
  ),
})
export type KubernetesIngress = Static<typeof KubernetesIngress>

/** Of the Gateway API, which not every cluster has. */
export const KubernetesHttpRoute = Type.Object({
  metadata,
  spec: Type.Partial(
    Type.Object({
      hostnames: Type.Array(text),
      rules: Type.Array(
        Type.Partial(
          Type.Object({
            backendRefs: Type.Array(
              Type.Object({
                name: text,
                kind: Type.Optional(text),
                namespace: Type.Optional(text),
              }),
            ),
          }),
        ),
      ),
    }),
  ),
})
export type KubernetesHttpRoute = Static<typeof KubernetesHttpRoute>

export const KubernetesAutoscaler = Type.Object({
  metadata,
  spec: Type.Object({
    scaleTargetRef: Type.Object({ kind: text, name: text }),
    minReplicas: Type.Optional(count),
    maxReplicas: count,
  }),
  status: Type.Optional(
    Type.Partial(
      Type.Object({
        currentReplicas: count,
        desiredReplicas: count,
        conditions: Type.Array(
          Type.Object({ type: text, status: text, message: Type.Optional(text) }),
        ),
      }),
    ),
  ),
})
export type KubernetesAutoscaler = Static<typeof KubernetesAutoscaler>

export const KubernetesDisruptionBudget = Type.Object({
  metadata,
  spec: Type.Partial(Type.Object({ selector, minAvailable: port, maxUnavailable: port })),
  status: Type.Optional(
    Type.Partial(
      Type.Object({ disruptionsAllowed: count, currentHealthy: count, desiredHealthy: count }),
    ),
  ),
})
export type KubernetesDisruptionBudget = Static<typeof KubernetesDisruptionBudget>

export const KubernetesVolumeClaim = Type.Object({
  metadata,
  spec: Type.Partial(Type.Object({ storageClassName: text })),
  status: Type.Optional(Type.Partial(Type.Object({ phase: text, capacity: textByName }))),
})
export type KubernetesVolumeClaim = Static<typeof KubernetesVolumeClaim>

/** A former template of a stateful set or a daemon set; other controllers keep data of any shape. */
export const KubernetesControllerRevision = Type.Object({
  metadata,
  revision: count,
  data: Type.Optional(Type.Unknown()),
})
export type KubernetesControllerRevision = Static<typeof KubernetesControllerRevision>

/** The data of a former template. */
export const KubernetesFormerTemplate = Type.Object({
  spec: Type.Object({
    template: Type.Object({
      spec: Type.Object({
        containers: Type.Array(Type.Object({ name: text, image: Type.Optional(text) })),
      }),
    }),
  }),
})

/** What a pod uses, by the metrics API, which not every cluster has. */
export const KubernetesPodMetrics = Type.Object({
  containers: Type.Array(Type.Object({ name: text, usage: textByName })),
})
