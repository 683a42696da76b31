import { type Static, Type } from 'typebox'
import {
  count,
  KubernetesMetadata as metadata,
  KubernetesSelector as selector,
  optional,
  partial,
  port,
  text,
  textByName,
} from './kubernetes-objects.ts'

/** The members that Portico reads of what stands around a workload. */

export const KubernetesService = Type.Object({
  metadata,
  spec: partial({
    type: text,
    selector: textByName,
    ports: Type.Array(
      Type.Object({
        port: count,
        name: optional(text),
        protocol: optional(text),
        targetPort: optional(port),
      }),
    ),
  }),
})
export type KubernetesService = Static<typeof KubernetesService>

const Backend = partial({ service: partial({ name: text }) })

export const KubernetesIngress = Type.Object({
  metadata,
  spec: partial({
    defaultBackend: Backend,
    tls: Type.Array(partial({ hosts: Type.Array(text) })),
    rules: Type.Array(
      partial({
        host: text,
        http: Type.Object({ paths: Type.Array(Type.Object({ backend: Backend })) }),
      }),
    ),
  }),
})
export type KubernetesIngress = Static<typeof KubernetesIngress>

/** HTTPRoute of the Gateway API, which not every cluster has. */
export const KubernetesHttpRoute = Type.Object({
  metadata,
  spec: partial({
    hostnames: Type.Array(text),
    rules: Type.Array(
      partial({
        backendRefs: Type.Array(
          Type.Object({
            name: text,
            kind: optional(text),
            namespace: optional(text),
          }),
        ),
      }),
    ),
  }),
})
export type KubernetesHttpRoute = Static<typeof KubernetesHttpRoute>

export const KubernetesAutoscaler = Type.Object({
  metadata,
  spec: Type.Object({
    scaleTargetRef: Type.Object({ kind: text, name: text }),
    minReplicas: optional(count),
    maxReplicas: count,
  }),
  status: optional(
    partial({
      currentReplicas: count,
      desiredReplicas: count,
      conditions: Type.Array(Type.Object({ type: text, status: text, message: optional(text) })),
    }),
  ),
})
export type KubernetesAutoscaler = Static<typeof KubernetesAutoscaler>

export const KubernetesDisruptionBudget = Type.Object({
  metadata,
  spec: partial({ selector, minAvailable: port, maxUnavailable: port }),
  status: optional(
    partial({ disruptionsAllowed: count, currentHealthy: count, desiredHealthy: count }),
  ),
})
export type KubernetesDisruptionBudget = Static<typeof KubernetesDisruptionBudget>

export const KubernetesVolumeClaim = Type.Object({
  metadata,
  spec: partial({ storageClassName: text }),
  status: optional(partial({ phase: text, capacity: textByName })),
})
export type KubernetesVolumeClaim = Static<typeof KubernetesVolumeClaim>

/** A former template of a stateful set or a daemon set; other controllers keep data of any shape. */
export const KubernetesControllerRevision = Type.Object({
  metadata,
  revision: count,
  data: optional(Type.Unknown()),
})
export type KubernetesControllerRevision = Static<typeof KubernetesControllerRevision>

/** The data of a former template. */
export const KubernetesFormerTemplate = Type.Object({
  spec: Type.Object({
    template: Type.Object({
      spec: Type.Object({
        containers: Type.Array(Type.Object({ name: text, image: optional(text) })),
      }),
    }),
  }),
})

/** Usage of a pod by the metrics API, which not every cluster has. */
export const KubernetesPodMetrics = Type.Object({
  containers: Type.Array(Type.Object({ name: text, usage: textByName })),
})
