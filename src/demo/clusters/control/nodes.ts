export interface Node {
  readonly name: string
  readonly hostIP: string
  /** The first three bytes of the IP addresses of its pods. */
  readonly podNet: string
}

const NODES = 3
/** Pods per node that have different addresses: a /24 network without the network, gateway and broadcast addresses. */
const ADDRESSES = 252

export interface PodPlacement {
  readonly node: Node
  readonly podIP: string
}

/** Places pods round-robin on nodes and addresses. */
export function createScheduler(cluster: string): () => PodPlacement {
  const nodes = Array.from({ length: NODES }, (_, index) => ({
    name: `${cluster}-worker-${index + 1}`,
    hostIP: `10.20.${index}.11`,
    podNet: `10.42.${index + 1}`,
  }))
  let taken = 0
  return () => {
    const node = nodes[taken % NODES]
    if (node === undefined) throw new Error('a cluster has nodes')
    const podIP = `${node.podNet}.${2 + (Math.floor(taken / NODES) % ADDRESSES)}`
    taken += 1
    return { node, podIP }
  }
}
