/** A namespace of a cluster. */
export interface Place {
  readonly cluster: string
  readonly namespace: string
}

/** A namespace has a team, and the person has rights in it. */
export interface NamespaceRights {
  readonly canRestart: boolean
  readonly team: string | null
}
