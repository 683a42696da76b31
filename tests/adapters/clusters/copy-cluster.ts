import type { ApiObject, Metadata } from '#src/demo/clusters/objects.ts'
import type { Store } from '#src/demo/clusters/store.ts'
import type { KubeApiServer } from '#tests/peers/kube-apiserver.ts'

/** Gives a real API server the objects of a simulated cluster: it validates each of them, and says of itself what it is. */
export async function copyCluster(
  { ask }: Pick<KubeApiServer, 'ask'>,
  { list }: Pick<Store, 'list'>,
): Promise<void> {
  const uids = new Map<string, string>()

  /** What a client says of an object that it creates. */
  const said = ({
    name,
    namespace,
    generateName,
    labels,
    annotations,
    ownerReferences,
  }: Metadata) => ({
    name,
    namespace,
    generateName,
    labels,
    annotations,
    ownerReferences: ownerReferences?.map((owner) => ({
      ...owner,
      uid: uids.get(owner.uid) ?? owner.uid,
    })),
  })

  const create = async (path: string, object: ApiObject) => {
    const { status: _, ...rest } = object as ApiObject & { status?: unknown }
    const created = (await ask('POST', path, {
      ...rest,
      metadata: said(object.metadata),
    })) as ApiObject
    uids.set(object.metadata.uid, created.metadata.uid)
  }
  const at = (group: string, { metadata: { namespace } }: ApiObject, resource: string) =>
    `${group}/namespaces/${namespace}/${resource}`

  for (const namespace of list('Namespace')) {
    // An API server makes these itself.
    if (/^(?:default$|kube-)/.test(namespace.metadata.name)) continue
    await create('/api/v1/namespaces', namespace)
  }
  const APPS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'] as const
  for (const kind of APPS) {
    for (const object of list(kind)) {
      const path = at('/apis/apps/v1', object, `${kind.toLowerCase()}s`)
      await create(path, object)
      const { generation = 1 } = object.metadata
      const { observedGeneration = 0 } = object.status ?? {}
      // The copy is of the first generation, and as up to date as the original.
      const status = { ...object.status, observedGeneration: observedGeneration - generation + 1 }
      await ask('PATCH', `${path}/${object.metadata.name}/status`, { status })
    }
  }
  // Cron jobs first: their runs name them as owners.
  for (const kind of ['CronJob', 'Job'] as const) {
    for (const object of list(kind)) {
      const path = at('/apis/batch/v1', object, `${kind.toLowerCase()}s`)
      await create(path, object)
      await ask('PATCH', `${path}/${object.metadata.name}/status`, { status: object.status })
    }
  }
  for (const pod of list('Pod')) {
    const path = at('/api/v1', pod, 'pods')
    await create(path, pod)
    await ask('PATCH', `${path}/${pod.metadata.name}/status`, { status: pod.status })
    // Its kubelet would end it.
    if (pod.metadata.deletionTimestamp) await ask('DELETE', `${path}/${pod.metadata.name}`)
  }
  for (const event of list('Event')) {
    const { involvedObject } = event
    const uid = uids.get(involvedObject.uid ?? '')
    await create(at('/api/v1', event, 'events'), {
      ...event,
      involvedObject: { ...involvedObject, ...(uid !== undefined && { uid }) },
    })
  }
}
