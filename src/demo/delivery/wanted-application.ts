import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Image } from '../../lib/domain/gitops/overlay.ts'
import { imageIn } from '../../lib/domain/promotion/overlay/manifests.ts'
import { Label } from '../../lib/names.ts'
import { readYaml, type YamlFile } from '../../lib/yaml/read.ts'
import type { WantedApplication } from '../clusters/cluster.ts'

/** The largest number that the portal writes. */
const REPLICAS_MAX = 100

const Quantity = Type.Union([Type.String(), Type.Number()])
const Quantities = Type.Partial(Type.Object({ cpu: Quantity, memory: Quantity }))
const shared = {
  replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: REPLICAS_MAX })),
  resources: Type.Optional(Type.Partial(Type.Object({ requests: Quantities, limits: Quantities }))),
}
type Resources = Static<typeof shared.resources>

const composite = <Parameters extends TObject>(parameters: Parameters) =>
  Compile(Type.Object({ spec: Type.Object({ parameters }) }))

const base = composite(Type.Object({ image: Type.String(), namespace: Type.String(), ...shared }))
const patch = composite(Type.Object({ namespace: Type.Optional(Type.String()), ...shared }))

/** Files of an application in one environment; `undefined` where one is missing. */
export interface ApplicationFiles {
  readonly base: string | undefined
  readonly kustomization: string | undefined
  readonly patch: string | undefined
}

/** As much of kustomize as the overlays of the portal need. Returns `undefined` for files that do not make an application. */
export function wantedApplication(
  place: Pick<WantedApplication, 'team' | 'app' | 'environment'>,
  files: ApplicationFiles,
): WantedApplication | undefined {
  const [baseValue, patchValue] = [files.base, files.patch].map(onlyDocument)
  const kustomization = onlyFile(files.kustomization)
  if (kustomization?.documents[0]?.value === undefined) return undefined
  if (!base.Check(baseValue) || !patch.Check(patchValue)) return undefined
  const common = baseValue.spec.parameters
  const own = patchValue.spec.parameters
  const namespace = Label.parse(own.namespace ?? common.namespace)
  if (namespace === undefined) return undefined
  return {
    ...place,
    namespace,
    image: imageWith(common.image, imageIn(kustomization, common.image)),
    replicas: own.replicas ?? common.replicas ?? 1,
    resources: merged(common.resources, own.resources),
  }
}

function onlyFile(text: string | undefined): YamlFile | undefined {
  const file = text === undefined ? undefined : readYaml(text)
  return file?.ok === true && file.value.documents.length === 1 ? file.value : undefined
}

function onlyDocument(text: string | undefined): unknown {
  return onlyFile(text)?.documents[0]?.value
}

const imageWith = (name: string, image: Image | null): string =>
  `${name}${image?.tag ? `:${image.tag}` : ''}${image?.digest ? `@${image.digest}` : ''}`

const merged = (common: Resources = {}, own: Resources = {}): WantedApplication['resources'] => ({
  requests: texts({ ...common.requests, ...own.requests }),
  limits: texts({ ...common.limits, ...own.limits }),
})

/** YAML reads `cpu: 1` as a number. */
const texts = (quantities: Static<typeof Quantities>): Record<string, string> =>
  Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]))
