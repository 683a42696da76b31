import { childOf, itemsOf, ROOT } from '../../../yaml/events.ts'
import { readYaml, type YamlFile } from '../../../yaml/read.ts'
import { valueAt } from '../../../yaml/value-at.ts'
import {
  type Base,
  BASE_FILE,
  type Image,
  KUSTOMIZATION_FILE,
  OVERLAY_BYTES_MAX,
  type OverlayConfig,
} from '../../gitops/overlay.ts'
import { isObject } from '../../../text/json.ts'
import { scalarText } from '../../../yaml/scalar-text.ts'
import { Label } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'

/** Readers of an application's files. A malformed value counts as missing. */

type Mapping = Readonly<Record<string, unknown>>

const mapping = (value: unknown): Mapping => (isObject(value) ? value : {})
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const string = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** `undefined` for a file that is missing or unreadable. */
function fileOf(text: string | undefined): YamlFile | undefined {
  const reading = text === undefined ? undefined : readYaml(text)
  return reading?.ok === true ? reading.value : undefined
}

const valuesOf = (file: YamlFile | undefined): readonly unknown[] =>
  file?.documents.map(({ value }) => value) ?? []

/** The values of all documents; none of a file that is missing or unreadable. */
export const documentsOf = (text: string | undefined): readonly unknown[] => valuesOf(fileOf(text))

const mappingsOf = (text: string | undefined): readonly Mapping[] => documentsOf(text).map(mapping)

/** A marker at the end of a file begins a document that is empty. */
export const isEmpty = (document: unknown): boolean => document === null

export function onlyDocumentOf(text: string | undefined): Mapping | undefined {
  const [document, ...others] = documentsOf(text)
  return document !== undefined && others.every(isEmpty) ? mapping(document) : undefined
}

const parametersOf = (document: Mapping): Mapping =>
  mapping(valueAt(document, ['spec', 'parameters']))

/** Fields of a composite that an overlay needs. */
const NEEDED = [
  'apiVersion',
  'kind',
  'metadata.name',
  'spec.parameters.image',
  'spec.parameters.namespace',
]

/**
 * The base of an application, or the first thing that an overlay needs and the base lacks, for people. `textOf`: text of another file of
 * the base's folder.
 */
export function baseOf(
  resource: string | undefined,
  kustomization: string | undefined,
  textOf: (name: string) => string | undefined = () => undefined,
): Result<Base, string> {
  const index = onlyDocumentOf(kustomization)
  const isPlain = resource === undefined && !list(index?.['resources']).includes(BASE_FILE)
  if (isPlain && index !== undefined) return plainBaseOf(index, textOf)
  const document = onlyDocumentOf(resource)
  if (document === undefined) return err(unreadable(BASE_FILE, resource))
  if (index === undefined) return err(unreadable(KUSTOMIZATION_FILE, kustomization))
  if (!list(index['resources']).includes(BASE_FILE)) {
    return err(`base/${KUSTOMIZATION_FILE} does not have ${BASE_FILE} among its resources`)
  }
  const textAt = (field: string) => string(valueAt(document, field.split('.')))
  const [apiVersion, kind, name, image, namespace] = NEEDED.map(textAt)
  if (!apiVersion || !kind || !name || !image || !namespace) {
    const missing = NEEDED.filter((field) => !textAt(field))
    return err(`base/${BASE_FILE} has no ${missing.join(', no ')}`)
  }
  const { database, resources } = parametersOf(document)
  return ok({
    apiVersion,
    kind,
    name,
    image: nameOfImage(image),
    namespace,
    database: mapping(database)['enabled'] === true,
    resources: mapping(resources),
  })
}

/** Files of a base whose manifests are read. */
export const BASE_FILES_MAX = 50
/** All files together: everybody waits while they are parsed. As much as the two files of a composite; what is beyond counts as missing. */
const BASE_CHARACTERS_MAX = 2 * OVERLAY_BYTES_MAX
/** Fields of a kustomization that add objects, besides its resources. */
const OTHER_SOURCES = ['bases', 'components', 'generators', 'helmCharts']
/** Kinds that `replicas` of a kustomization sets. */
const SCALED_KINDS: readonly unknown[] = ['Deployment', 'StatefulSet', 'ReplicaSet']

/** A base of plain manifests. Its one image is that of its containers, or that of `images` where it has several. */
function plainBaseOf(
  index: Mapping,
  textOf: (name: string) => string | undefined,
): Result<Base, string> {
  let left = BASE_CHARACTERS_MAX
  const texts = [...new Set(list(index['resources']))].slice(0, BASE_FILES_MAX).map((name) => {
    const text = typeof name === 'string' ? textOf(name.replace(/^\.\//, '')) : undefined
    left -= text?.length ?? 0
    return left < 0 ? undefined : text
  })
  const documents = texts.flatMap(mappingsOf)
  const entries = list(index['images']).map(mapping)
  const renamed = new Map(entries.map(({ name, newName }) => [name, string(newName)]))
  const ofContainers = documents.flatMap(imagesOf)
  const images = [...new Set(ofContainers.map((name) => renamed.get(name) ?? name))]
  const [entry, ...more] = entries
  const set = string(entry?.['newName']) ?? string(entry?.['name'])
  const image = entry === undefined ? images[0] : set
  if (more.length > 0) {
    return err(`${INDEX} has more than one entry in images: keep only that of the application`)
  }
  if (image === undefined || (entry === undefined && images.length > 1)) {
    const what = image === undefined ? 'no image is found' : 'several images are found'
    return err(`${what} in the containers of base: add ${lineFor('images', image)} to ${INDEX}`)
  }
  const hasOthers = texts.includes(undefined) || OTHER_SOURCES.some((field) => field in index)
  if (images.length > 0 && !images.includes(image) && !hasOthers) {
    return err(`${INDEX} has an image in images that no container of base has`)
  }
  const namespaces = new Set(
    documents.flatMap(({ metadata }) => string(valueAt(metadata, ['namespace'])) ?? []),
  )
  const namespace = string(index['namespace']) ?? [...namespaces][0] ?? null
  if (index['namespace'] === undefined && namespaces.size > 1) {
    const named = Label.parse(namespace) ?? 'shop'
    return err(`several namespaces are found in base: add "namespace: ${named}" to ${INDEX}`)
  }
  const scaled = documents.filter(({ kind }) => SCALED_KINDS.includes(kind))
  const [workload] = scaled.map(({ metadata }) => string(valueAt(metadata, ['name'])))
  const isSimple = scaled.length === 1 && !('namePrefix' in index) && !('nameSuffix' in index)
  return ok({
    kind: null,
    image,
    namespace,
    workload: isSimple ? (workload ?? null) : null,
    database: false,
    resources: {},
  })
}

const INDEX = `base/${KUSTOMIZATION_FILE}`
const IMAGE_NAME = /^[a-z0-9][a-z0-9._/:-]{0,255}$/i

const lineFor = (field: string, image = ''): string =>
  `"${field}: [{ name: ${IMAGE_NAME.test(image) ? image : 'ghcr.io/acme/shop'} }]"`

/** The images of the containers of a workload, without tags and digests. */
function imagesOf({ spec }: Mapping): readonly string[] {
  const template = ['template', 'spec']
  return [[], template, ['jobTemplate', 'spec', ...template]].flatMap((path) => {
    const pod = mapping(valueAt(spec, path))
    const containers = [...list(pod['containers']), ...list(pod['initContainers'])]
    const images = containers.flatMap((container) => string(valueAt(container, ['image'])) ?? [])
    return images.map(nameOfImage)
  })
}

const unreadable = (file: string, text: string | undefined): string =>
  text === undefined
    ? `there is no readable base/${file}`
    : `base/${file} is not one document of YAML`

/** `ghcr.io:443/acme/shop:1.2@sha256:…` without tag and digest. Linear, also for 60 KB of `@`. */
const nameOfImage = (image: string): string =>
  (image.split('@', 1)[0] ?? '').replace(/:[^:/]*$/, '')

/** The values of an overlay, as far as its files have any. */
export interface OverlayValues {
  readonly image: Image | null
  /** The name that the kustomization gives to the image of the base; `null` if it keeps its own. */
  readonly newName: string | null
  readonly config: OverlayConfig
  /** The namespace of the overlay or, without one, of its base; `null` if neither names one. */
  readonly namespace: Label | null
  /** Path of its secrets in the store, if the overlay names one. */
  readonly secretPath: string | undefined
}

/** Reads the files of an overlay; over a plain base it has no patch. Without a base no image is known as the application's. */
export function overlayIn(
  base: Base | undefined,
  kustomization: string | undefined,
  patch: string | undefined,
): OverlayValues {
  const isPlain = base?.kind === null
  const file = fileOf(kustomization)
  const [document, ...others] = file?.documents ?? []
  const index = document && others.every(({ value }) => isEmpty(value)) ? file : undefined
  const all = index && document ? mapping(document.value) : {}
  const documents = isPlain ? [] : mappingsOf(patch)
  const parameters = mergedParameters(documents)
  const namespace = string((isPlain ? all : parameters)['namespace'])
  return {
    image: index === undefined || base === undefined ? null : imageIn(index, base.image),
    newName: base === undefined ? null : newNameIn(all, base.image),
    config: isPlain ? replicasIn(all, base.workload) : configOf(parameters),
    namespace: Label.parse(namespace ?? base?.namespace) ?? null,
    // Other documents may have other members of `externalSecrets`.
    secretPath: documents
      .flatMap((document) => string(valueAt(parametersOf(document), SECRET_PATH)) ?? [])
      .at(-1),
  }
}

const SECRET_PATH = ['externalSecrets', 'path']

/** kustomize applies the first name that an entry gives to an image: later entries look for the old name. */
const newNameIn = (kustomization: Mapping, name: string): string | null =>
  list(kustomization['images'])
    .filter((entry) => valueAt(entry, ['name']) === name)
    .map((entry) => string(valueAt(entry, ['newName'])))
    .find(Boolean) ?? null

/** The parameters of all documents of a patch, merged. */
const mergedParameters = (documents: readonly Mapping[]): Mapping =>
  Object.fromEntries(documents.flatMap((document) => Object.entries(parametersOf(document))))

/**
 * The image of a kustomization of one document. The tag verbatim: a YAML reader would take `1.10`, `0777` and `12345e7` for numbers.
 * Linear, however many images there are.
 */
export function imageIn(file: YamlFile, name: string): Image | null {
  const images = childOf(file.events, ROOT, 'images', file.source)
  const nodes = images === undefined ? [] : itemsOf(file.events, images)
  const values = list(mapping(file.documents[0]?.value)['images'])
  const found = values.flatMap((value, index): readonly Image[] => {
    if (mapping(value)['name'] !== name) return []
    const node = nodes[index]
    // Behind an alias there is no text.
    const text = (key: string) => (node && scalarText(file, [key], node)) || null
    return [{ tag: text('newTag'), digest: text('digest') }]
  })
  // kustomize applies one after the other: the last tag or digest wins.
  return found.findLast(({ tag, digest }) => tag !== null || digest !== null) ?? found[0] ?? null
}

/** The settings of a patch. */
export const configIn = (patch: YamlFile): OverlayConfig =>
  configOf(mergedParameters(valuesOf(patch).map(mapping)))

function configOf(parameters: Mapping): OverlayConfig {
  const { replicas, resources, database } = parameters
  const host = hostOf(parameters)
  const { tier, name } = mapping(database)
  return {
    ...(isNumber(replicas) && { replicas }),
    ...(resources !== undefined && { resources: mapping(resources) }),
    ...(host !== undefined && { ingress: { host } }),
    ...((tier === 'shared' || tier === 'dedicated') && {
      database: { tier, ...(typeof name === 'string' && { name }) },
    }),
  }
}

/** YAML has numbers that JSON has not. */
const isNumber = (value: unknown): value is number => Number.isFinite(value)

/** Over a plain base a kustomization sets the replicas of its workload. */
function replicasIn(index: Mapping, workload: string | null): OverlayConfig {
  const ofWorkload = (entry: unknown) => mapping(entry)['name'] === workload
  const { count } = mapping(list(index['replicas']).findLast(ofWorkload))
  return isNumber(count) ? { replicas: count } : {}
}

/** The name of something that only one overlay can have. */
export interface Claim {
  readonly kind: 'host' | 'database'
  readonly name: string
}

/** Every host and database that a base or a patch asks for. */
export const claimsIn = (text: string): readonly Claim[] =>
  mappingsOf(text).flatMap((document) => {
    const parameters = parametersOf(document)
    const host = hostOf(parameters)
    const database = string(mapping(parameters['database'])['name'])
    return [
      ...(host === undefined ? [] : [{ kind: 'host', name: normalise(host) } as const]),
      ...(database === undefined ? [] : [{ kind: 'database', name: database } as const]),
    ]
  })

/** DNS ignores case and a trailing dot. */
const normalise = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const hostOf = ({ ingress }: Mapping): string | undefined => string(mapping(ingress)['host'])
