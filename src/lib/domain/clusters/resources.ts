import {
  KubernetesDeployment,
  KubernetesPod,
  KubernetesReplicaSet,
} from '../../ports/kubernetes-objects.ts'
import { deploymentView, laterDeploymentView } from './deployment.ts'
import { podView } from './pod.ts'

/** The types of objects that people see. Lists, watches and restarts follow from a row. */
export const RESOURCES = {
  deployments: {
    kind: 'Deployment',
    plural: 'deployments',
    group: 'apps',
    version: 'v1',
    schema: KubernetesDeployment,
    view: deploymentView,
    laterView: laterDeploymentView,
  },
  replicasets: {
    kind: 'ReplicaSet',
    plural: 'replicasets',
    group: 'apps',
    version: 'v1',
    schema: KubernetesReplicaSet,
  },
  pods: {
    kind: 'Pod',
    plural: 'pods',
    group: '',
    version: 'v1',
    schema: KubernetesPod,
    view: podView,
    laterView: () => null,
  },
} as const
