import { writeOwnerOnly } from '../owner-only-file.ts'

export interface KubeconfigCluster {
  readonly id: string
  readonly url: string
  /** PEM. */
  readonly authority: string
}

/** A person on a cluster. The context is called `<person>@<cluster>`. */
export interface KubeconfigContext {
  readonly person: string
  readonly cluster: string
  readonly token: string
  /** Default namespace of commands. */
  readonly namespace: string
}

export interface Kubeconfig {
  readonly clusters: readonly KubeconfigCluster[]
  /** The first one becomes the current context. */
  readonly contexts: readonly [KubeconfigContext, ...KubeconfigContext[]]
}

const nameOf = ({ person, cluster }: KubeconfigContext) => `${person}@${cluster}`

/** Writes JSON, which kubectl reads as YAML. */
export function writeKubeconfig(path: string, { clusters, contexts }: Kubeconfig): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    preferences: {},
    clusters: clusters.map(({ id, url, authority }) => ({
      name: id,
      cluster: {
        server: url,
        'certificate-authority-data': Buffer.from(authority).toString('base64'),
      },
    })),
    users: contexts.map((context) => ({ name: nameOf(context), user: { token: context.token } })),
    contexts: contexts.map((context) => ({
      name: nameOf(context),
      context: { cluster: context.cluster, user: nameOf(context), namespace: context.namespace },
    })),
    'current-context': nameOf(contexts[0]),
  }
  writeOwnerOnly(path, `${JSON.stringify(config, undefined, 2)}\n`)
}
