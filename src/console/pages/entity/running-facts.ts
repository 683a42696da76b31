import type { Deployment } from '../../api/live/events.ts'
import type { HistoryRow } from './history-words.ts'
import { type Environment, type Image, versionOf } from './stage.ts'

/** Name, tag and digest of an image reference. A colon before the last slash belongs to a port. */
export function parseImage(reference: string): Image {
  const [path = '', digest = null] = reference.split('@')
  const colon = path.indexOf(':', path.lastIndexOf('/') + 1)
  return colon === -1
    ? { name: path, tag: null, digest }
    : { name: path.slice(0, colon), tag: path.slice(colon + 1), digest }
}

/** `Runs 1.5.0, git says 1.6.0`; null when they agree, or when another image cannot be compared. */
export function versionGap(
  { images }: Pick<Deployment, 'images'>,
  wanted: Image | null,
): string | null {
  if (wanted === null) return null
  const running = images.map(parseImage).find(({ name }) => name === wanted.name)
  if (running === undefined || isSame(running, wanted)) return null
  const [runs, says] = [versionOf(running), versionOf(wanted)]
  return runs === says
    ? `Runs ${runs} with another digest than git says`
    : `Runs ${runs}, git says ${says}`
}

/** A digest decides when both have one: the same tag can be pushed again. */
const isSame = (one: Image, other: Image): boolean =>
  one.digest !== null && other.digest !== null ? one.digest === other.digest : one.tag === other.tag

/** The last change in git to one of the images. */
export const changeTo = (
  images: readonly string[],
  history: readonly HistoryRow[],
): HistoryRow | undefined => {
  const running = images.map(parseImage)
  return history.find(
    ({ image }) =>
      image?.name != null &&
      running.some((each) => each.name === image.name && isSame(each, image)),
  )
}

export interface RunningPlace {
  readonly environment: string
  readonly cluster: string
  readonly namespace: string
  readonly labelSelector: string
  /** Null while it is not known. */
  readonly canRestart: boolean | null
}

interface Located {
  readonly environments: readonly Pick<Environment, 'name' | 'overlay' | 'runsOn'>[]
}

/** The namespaces that may be looked at, of environments that something has reached. */
export const placesOf = ({ environments }: Located): readonly RunningPlace[] =>
  environments
    .filter(({ overlay }) => overlay)
    .flatMap(({ name, runsOn }) =>
      runsOn
        .filter(({ allowed }) => allowed === true)
        .map(({ cluster, namespace, labelSelector, canRestart }) => ({
          environment: name,
          cluster,
          namespace,
          labelSelector,
          canRestart,
        })),
    )
