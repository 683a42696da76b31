/** A machine of a cluster. */
export interface Node {
  readonly name: string
  readonly hostIP: string
  /** The first three numbers of the addresses of its pods. */
  readonly podNet: string
}

const NODES = 3
/** Without the network's own address, the gateway and the broadcast address. */
const ADDRESSES = 252

export interface Place {
  readonly node: Node
  readonly podIP: string
}

/** Nodes take turns, and so do the addresses on each of them. */
export function createPlaces(cluster: string): () => Place {
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
