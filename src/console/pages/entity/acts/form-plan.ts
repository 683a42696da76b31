import type { EntityAct, Environment, PromotionState } from './acts-of.ts'

/** Paths of the values in the body of a request: names of the fields, and places of the server's errors. */
export const AT = {
  imageFrom: '/overlayConfig/image/from',
  imageTag: '/overlayConfig/image/tag',
  imageDigest: '/overlayConfig/image/digest',
  replicas: '/overlayConfig/replicas',
  cpuRequest: '/overlayConfig/resources/requests/cpu',
  cpuLimit: '/overlayConfig/resources/limits/cpu',
  memoryRequest: '/overlayConfig/resources/requests/memory',
  memoryLimit: '/overlayConfig/resources/limits/memory',
  host: '/overlayConfig/ingress/host',
  databaseTier: '/overlayConfig/database/tier',
  databaseName: '/overlayConfig/database/name',
  message: '/message',
} as const

export type Path = (typeof AT)[keyof typeof AT]
export type Texts = Readonly<Record<Path, string>>

/** Values of the choice of an image, beside the names of environments. */
export const KEPT = ''
export const OWN = ':own'
/** Begins the choice of a version by its tag. */
export const TAG = ':tag/'

export type Choice = { readonly value: string; readonly label: string }

/** The subject of a form. It is made once, when the form opens. */
export interface FormPlan {
  readonly kind: 'promotion' | 'release'
  readonly environment: Environment
  /** Number of the open pull request, which the form changes. */
  readonly pullRequest: number | null
  /** Texts of the fields at first. */
  readonly initial: Texts
  /** A new overlay gets every value; of one that is there, only changed values are sent. */
  readonly isNew: boolean
  readonly images: readonly Choice[]
  /** Environments whose image can be taken. */
  readonly others: readonly Environment[]
  /** Whether the application has the setting of a field. */
  readonly has: (path: Path) => boolean
  /** Groups whose members may confirm it after the merge. `null`: the merge makes it live. */
  readonly confirmers: readonly string[] | null
}

type Config = Environment['config']
type Image = Environment['image']

export const imageText = (image: Image): string =>
  image?.tag ?? image?.digest?.slice(0, 'sha256:'.length + 12) ?? 'no tag'

const hasImage = ({ image }: Environment): boolean =>
  image !== null && (image.tag !== null || image.digest !== null)

/** The form of a promotion or a release, filled with what the environment before it has, or with what its pull request proposes. */
export function formPlanOf(
  state: PromotionState,
  act: Pick<EntityAct, 'do' | 'environment'>,
  version: string | null = null,
): FormPlan | undefined {
  const at = state.environments.findIndex(({ name }) => name === act.environment)
  const environment = state.environments[at]
  if (environment === undefined) return undefined
  const before = state.environments[at - 1]
  const { proposed } = environment
  const isNew = act.do === 'promote'
  const others = state.environments.filter((each) => each !== environment && hasImage(each))
  const first = isNew && others.length === 0
  const kept = isNew ? before : { image: proposed?.image ?? environment.image }
  // An environment that has it knows its digest too.
  const chosen =
    version === null || kept?.image?.tag === version
      ? undefined
      : (others.find(({ image }) => image?.tag === version)?.name ?? `${TAG}${version}`)
  return {
    kind: environment.state === 'live' ? 'release' : 'promotion',
    environment,
    pullRequest: proposed?.pullRequest ?? null,
    initial: {
      ...(isNew ? carried(before, environment) : textsOf(proposed?.config ?? environment.config)),
      ...(first && { [AT.imageFrom]: OWN }),
      ...(chosen !== undefined && { [AT.imageFrom]: chosen }),
    },
    isNew,
    images: first
      ? FIRST_IMAGES
      : isNew
        ? imagesFrom(others, carriedLabel(before), before)
        : imagesFrom(others, `${imageText(proposed?.image ?? environment.image)}, as it is`),
    others,
    has(path) {
      const [, , setting] = path.split('/')
      return setting === 'image' || (state.settings?.some((each) => each === setting) ?? true)
    },
    confirmers: state.next?.environment === environment.name ? environment.requires : null,
  }
}

/** Without an image no pod starts, so the fields of the first one are there at once. */
const FIRST_IMAGES: readonly Choice[] = [
  { value: OWN, label: 'By its tag or digest' },
  { value: KEPT, label: 'None yet: its pods wait for one' },
]

const carriedLabel = (before: Environment | undefined): string =>
  before !== undefined && hasImage(before)
    ? `${imageText(before.image)}, as in ${before.name}`
    : 'None yet'

const imagesFrom = (
  others: readonly Environment[],
  kept: string,
  before?: Environment,
): readonly Choice[] => [
  { value: KEPT, label: kept },
  ...others
    .filter((each) => each !== before)
    .map(({ name, image }) => ({ value: name, label: `${imageText(image)}, as in ${name}` })),
  { value: OWN, label: 'Another one…' },
]

/** The choices of an image, with the versions that run nowhere before the one to type. */
export function imageChoices(
  { images, others, environment, initial }: FormPlan,
  versions: readonly { readonly tag: string; readonly subject: string | null }[],
): readonly Choice[] {
  const running = new Set([environment, ...others].map(({ image }) => image?.tag))
  const chosen = initial[AT.imageFrom]
  const named = chosen.startsWith(TAG) ? [{ tag: chosen.slice(TAG.length), subject: null }] : []
  const all = new Map([...named, ...versions].map((version) => [version.tag, version]))
  const further = [...all.values()]
    .filter(({ tag }) => !running.has(tag))
    .map(({ tag, subject }) => ({
      value: `${TAG}${tag}`,
      label: subject === null ? tag : `${tag}: ${subject}`,
    }))
  return [
    ...images.filter(({ value }) => value !== OWN),
    ...further,
    ...images.filter(({ value }) => value === OWN),
  ]
}

const textsOf = ({ replicas, resources, ingress, database }: Config): Texts => ({
  [AT.imageFrom]: KEPT,
  [AT.imageTag]: '',
  [AT.imageDigest]: '',
  [AT.replicas]: replicas === undefined ? '' : String(replicas),
  [AT.cpuRequest]: resources?.requests?.cpu ?? '',
  [AT.cpuLimit]: resources?.limits?.cpu ?? '',
  [AT.memoryRequest]: resources?.requests?.memory ?? '',
  [AT.memoryLimit]: resources?.limits?.memory ?? '',
  [AT.host]: ingress?.host ?? '',
  [AT.databaseTier]: database?.tier ?? '',
  [AT.databaseName]: database?.name ?? '',
  [AT.message]: '',
})

/** A host and a database belong to one environment: the host gets the new name, the database its default. */
function carried(before: Environment | undefined, { name }: Environment): Texts {
  const texts = textsOf(before?.config ?? {})
  const labels = texts[AT.host].split('.')
  const host = labels.map((label) => (label === before?.name ? name : label)).join('.')
  return { ...texts, [AT.host]: host === texts[AT.host] ? '' : host, [AT.databaseName]: '' }
}
