import type { Behaviour, BehaviourOf } from '../control/behaviour.ts'
import { hex } from '../control/hash.ts'
import { clusters } from './clusters.ts'
import { imageOf, ORGANISATION } from './manifest.ts'

/** Images that were built. Those of other registries count as built. */
export interface ImageRegistry {
  push(image: string): void
  readonly behaviourOf: BehaviourOf
}

const MISSING: Behaviour = { does: 'fail_to_pull' }

/** Images whose containers do not simply run. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  [imageOf('payments-api', '1.5.0-rc.3')]: { does: 'run_out_of_memory', afterSteps: 22 },
  [imageOf('returns-portal', '0.7.2')]: { does: 'fail_probe' },
  [imageOf('wait-for-printers', '1.0.2')]: { does: 'serve' },
  [imageOf('legacy-billing', '3.20.0')]: { does: 'linger' },
}

/** Its pipeline failed, and somebody promoted it all the same. */
const NEVER_BUILT = imageOf('invoice-service', '2.3.0')

/** The next versions of what is broken. */
const READY_TO_DEPLOY = [
  imageOf('payments-api', '1.5.0'),
  imageOf('invoice-service', '2.3.1'),
  imageOf('returns-portal', '0.7.3'),
]

/**
 * The registry of the organisation, with the images of everything that ever ran in the clusters. `prefix` begins the images of new
 * projects.
 */
export function createImageRegistry(prefix = ORGANISATION): ImageRegistry {
  const built = new Set([...READY_TO_DEPLOY, ...historicImages()])
  built.delete(NEVER_BUILT)
  const has = (image: string): boolean => {
    const [tagged = '', digest] = image.split('@sha256:')
    return built.has(tagged) && (digest === undefined || digest === hex(tagged))
  }
  const isOwn = (image: string) =>
    [ORGANISATION, prefix].some((start) => image.startsWith(`${start}/`))
  return {
    push: (image) => void built.add(image),
    behaviourOf: (image) => (isOwn(image) && !has(image) ? MISSING : behaviours[image]),
  }
}

const historicImages = (): readonly string[] =>
  Object.values(clusters)
    .flat()
    .flatMap(({ workloads, jobs }) => [
      ...workloads.flatMap(({ name, history, initImage = [], sidecarImage = [] }) => [
        ...history.flatMap(({ tag }) => (tag === undefined ? [] : imageOf(name, tag))),
        ...[initImage, sidecarImage].flat(),
      ]),
      ...jobs.map(({ component, tag }) => imageOf(component, tag)),
    ])
