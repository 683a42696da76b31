import type { Container, Deployment } from '../objects.ts'
import type { Simulation } from '../simulation.ts'
import type { ObjectKey } from '../store.ts'
import { applySpec, isApplied, newSpec } from './apply-spec.ts'
import { templateOf, versionOf } from './manifest.ts'
import { newNamespace, TEAM_LABEL } from './namespace.ts'

/** An application in one environment, as the gitops repository wants it. */
export interface WantedApplication {
  readonly team: string
  readonly app: string
  readonly environment: string
  readonly namespace: string
  readonly image: string
  readonly replicas: number
  readonly resources: NonNullable<Container['resources']>
}

export interface Wanted {
  readonly applications: readonly WantedApplication[]
  /** Applications with files that cannot be read. They stay as they are. */
  readonly unreadable: readonly Pick<WantedApplication, 'team' | 'app'>[]
}

const nameOf = ({ namespace = '', name }: ObjectKey) => `${namespace}/${name}`
const keyOf = ({ namespace, app }: WantedApplication) => ({ namespace, name: app })

/**
 * Stands in for Argo CD in a cluster. What somebody changes by hand stays until the wish of the repository changes. Returns the
 * applications whose namespace belongs to another team: they are refused.
 */
export function createSync({ store, timeline, remove }: Simulation) {
  const applied = new Map<string, WantedApplication>()

  function mayRunIn({ team, namespace }: WantedApplication): boolean {
    const found = store.get('namespaces', { name: namespace })
    if (found === undefined) {
      store.put('namespaces', newNamespace(namespace, team, timeline.now()))
      return true
    }
    return found.metadata.labels?.[TEAM_LABEL] === team
  }

  function apply(wanted: WantedApplication): void {
    const { app: name, namespace, team } = wanted
    const before = store.get('deployments', keyOf(wanted))
    if (before !== undefined && isAsWanted(before, wanted)) return
    const spec =
      before === undefined
        ? newSpec(templateOf({ name, type: 'service' }, wanted.image, wanted), name)
        : withWanted(before, wanted)
    applySpec(
      store,
      { name, namespace, team },
      { ...spec, replicas: wanted.replicas },
      timeline.now(),
    )
  }

  return ({ applications, unreadable }: Wanted): readonly WantedApplication[] => {
    const [allowed, refused] = partition(applications, mayRunIn)
    const wantedBy = Map.groupBy(allowed, (each) => nameOf(keyOf(each)))
    for (const { metadata } of store.list('deployments').filter(isApplied)) {
      const isUnreadable = unreadable.some(
        ({ team, app }) => app === metadata.name && team === metadata.labels?.[TEAM_LABEL],
      )
      if (wantedBy.has(nameOf(metadata)) || isUnreadable) continue
      remove(metadata)
      applied.delete(nameOf(metadata))
    }
    for (const [name, [wanted]] of wantedBy) {
      if (wanted === undefined) continue
      if (!Bun.deepEquals(applied.get(name), wanted)) apply(wanted)
      applied.set(name, wanted)
    }
    return refused
  }
}

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean) {
  const groups = Map.groupBy(items, belongs)
  return [groups.get(true) ?? [], groups.get(false) ?? []] as const
}

const mainOf = ({ metadata, spec }: Deployment): Container | undefined =>
  spec.template.spec?.containers.find(({ name }) => name === metadata.name)

function isAsWanted(deployment: Deployment, wanted: WantedApplication): boolean {
  const main = mainOf(deployment)
  return (
    deployment.spec.replicas === wanted.replicas &&
    main?.image === wanted.image &&
    Bun.deepEquals(main.resources, wanted.resources)
  )
}

/** Everything else of the template stays, so that only a new image or new resources make new pods. */
function withWanted({ metadata, spec }: Deployment, { image, resources }: WantedApplication) {
  const { template } = spec
  const containers = template.spec?.containers ?? []
  return {
    ...spec,
    template: {
      ...template,
      metadata: {
        ...template.metadata,
        labels: { ...template.metadata?.labels, ...versionOf(image) },
      },
      spec: {
        ...template.spec,
        containers: containers.map((each) =>
          each.name === metadata.name ? { ...each, image, resources } : each,
        ),
      },
    },
  }
}
