import { hex } from './objects.ts'
import { imageOf, ORGANISATION } from './manifest.ts'
import { clusters } from './workloads.ts'

/** Behaviour of the containers of an image after their start. */
export type Behaviour =
  | { readonly does: 'serve' }
  /** Serves, ignores SIGTERM and is killed at the end of its grace period. */
  | { readonly does: 'linger' }
  /** Becomes ready, runs out of memory and is killed, again and again. */
  | { readonly does: 'run_out_of_memory'; readonly afterSteps: number }
  | { readonly does: 'finish'; readonly afterSteps: number }
  /** Runs, and fails its readiness probe. */
  | { readonly does: 'fail_probe' }

/** Stands in for the registry. Images of other organisations exist. */
export interface Images {
  /** `at`: milliseconds since the Unix epoch. */
  push(image: string, at: number): void
  /** `Infinity` for an image that is not there. */
  builtAt(image: string): number
  /** Images without a behaviour behave by the purpose of their container. */
  behaviourOf(image: string): Behaviour | undefined
}

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

/** The images of everything that ever ran in the clusters. `prefix` begins the images of new projects. */
export function createImages(prefix = ORGANISATION): Images {
  const built = new Map([...READY_TO_DEPLOY, ...historicImages()].map((image) => [image, 0]))
  built.delete(NEVER_BUILT)
  const own = [ORGANISATION, prefix].map((start) => `${start}/`)
  return {
    push: (image, at) => void (built.has(image) || built.set(image, at)),
    builtAt(image) {
      if (!own.some((start) => image.startsWith(start))) return 0
      const [tagged = '', digest] = image.split('@sha256:')
      const isThere = digest === undefined || digest === hex(tagged)
      return (isThere ? built.get(tagged) : undefined) ?? Infinity
    },
    behaviourOf: (image) => behaviours[image],
  }
}

const historicImages = (): readonly string[] =>
  Object.values(clusters)
    .flat()
    .flatMap(({ workloads, jobs = [] }) => [
      ...workloads.flatMap(({ name, history, initImage = [], sidecarImage = [] }) => [
        ...history.flatMap(({ tag }) => (tag === undefined ? [] : imageOf(name, tag))),
        ...[initImage, sidecarImage].flat(),
      ]),
      ...jobs.map(({ component, tag }) => imageOf(component, tag)),
    ])
