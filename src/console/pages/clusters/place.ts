/** A namespace of a cluster. */
export interface Place {
  readonly cluster: string
  readonly namespace: string
}

/** What the person may do in a namespace, and whose it is. */
export interface NamespaceRights {
  readonly canRestart: boolean
  readonly team: string | null
}
