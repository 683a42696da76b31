import { isDeepStrictEqual } from 'node:util'
import { type EnvironmentName, RepositoryPath } from '../../names.ts'
import { readYaml } from '../../yaml/read.ts'
import {
  type Base,
  type Image,
  KUSTOMIZATION_FILE,
  OVERLAY_FILES,
  type OverlayConfig,
  overlayFolder,
  overlayObjects,
} from '../gitops/overlay.ts'
import type { WrittenFile } from '../gitops/proposed-branch.ts'
import { toYaml } from '../../yaml/write.ts'
import { imageIn } from './manifests.ts'
import type { Stage } from './pipeline.ts'
import type { Promotable } from './subject.ts'
import type { Texts } from './texts.ts'

export interface OverlaySpec {
  readonly promotable: Promotable
  readonly base: Base
  readonly stage: Stage
  readonly namespace: string
  readonly config: OverlayConfig
  /** From the request. An update without a tag leaves the existing one. */
  readonly tag: string | null
  /** Image of the previous environment. */
  readonly carried: Image | null
  readonly carriedFrom: EnvironmentName | null
}

export const overlayPaths = ({ promotable: { team, app }, stage }: OverlaySpec) => {
  const folder = overlayFolder(team, app, stage.folders[0])
  return OVERLAY_FILES.map((file) => RepositoryPath.of(`${folder}/${file}`))
}

/** The image of an overlay: from the request, else from the branch, else from the previous environment. */
export function imageFor(spec: OverlaySpec, current: Texts): Image | null {
  const { base, tag, carried } = spec
  if (tag !== null) return { tag, digest: null }
  const [kustomization] = overlayPaths(spec)
  const text = kustomization && current.get(kustomization)
  return text === undefined ? carried : imageIn(text, base.image)
}

/** The three files, read back and compared with the objects they were written from. */
export function overlayFiles(spec: OverlaySpec, current: Texts): readonly WrittenFile[] {
  const { promotable, base, stage, namespace, config } = spec
  const { team, app } = promotable
  const image = imageFor(spec, current)
  const objects = overlayObjects({
    team,
    app,
    environment: stage.environment,
    namespace,
    base,
    config,
    image,
  })
  const folder = overlayFolder(team, app, stage.folders[0])
  return OVERLAY_FILES.map((file) => {
    const path = RepositoryPath.of(`${folder}/${file}`)
    const existing = current.get(path)
    // Only `images:` of a kustomization ever differs, and its last writer, often CI, owns it.
    if (file === KUSTOMIZATION_FILE && spec.tag === null && existing !== undefined) {
      return { kind: 'write', path, bytes: new TextEncoder().encode(existing) }
    }
    const bytes = toYaml(objects[file])
    verify(bytes, objects[file])
    return { kind: 'write', path, bytes }
  })
}

/** kustomize does not validate a composite, so a mistake would only show once it is deployed. */
function verify(bytes: Uint8Array, expected: object): void {
  const reading = readYaml(new TextDecoder().decode(bytes))
  const read = reading.ok ? reading.value.documents[0]?.value : undefined
  if (!isDeepStrictEqual(read, expected)) throw new Error('a generated file reads differently')
}
