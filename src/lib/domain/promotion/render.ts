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
import type { WrittenFile } from '../gitops/propose.ts'
import { toYaml } from '../../yaml/write.ts'
import { imageIn } from './manifests.ts'
import type { Stage } from './pipeline.ts'
import type { Promotable } from './subject.ts'
import type { Texts } from './texts.ts'

export interface OverlayWish {
  readonly promotable: Promotable
  readonly base: Base
  readonly stage: Stage
  readonly namespace: string
  readonly config: OverlayConfig
  /** Asked for by the request; an update without it leaves the tag that is there. */
  readonly tag: string | null
  /** What the previous environment runs. */
  readonly carried: Image | null
  readonly carriedFrom: EnvironmentName | null
}

export const overlayPaths = ({ promotable: { team, app }, stage }: OverlayWish) => {
  const folder = overlayFolder(team, app, stage.folders[0])
  return OVERLAY_FILES.map((file) => RepositoryPath.of(`${folder}/${file}`))
}

/** The image of an overlay: as asked for, else as the branch has it, else as the environment before runs it. */
export function imageFor(wish: OverlayWish, current: Texts): Image | null {
  const { base, tag, carried } = wish
  if (tag !== null) return { tag, digest: null }
  const [kustomization] = overlayPaths(wish)
  const text = kustomization && current.get(kustomization)
  return text === undefined ? carried : imageIn(text, base.image)
}

/** The three files, checked: what a YAML reader makes of them is what was meant. */
export function overlayFiles(wish: OverlayWish, current: Texts): readonly WrittenFile[] {
  const { promotable, base, stage, namespace, config } = wish
  const { team, app } = promotable
  const image = imageFor(wish, current)
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
    const there = current.get(path)
    // Everything in it but the images is always the same, and those belong to who wrote them last.
    if (file === KUSTOMIZATION_FILE && wish.tag === null && there !== undefined) {
      return { kind: 'write', path, bytes: new TextEncoder().encode(there) }
    }
    const bytes = toYaml(objects[file])
    verify(bytes, objects[file])
    return { kind: 'write', path, bytes }
  })
}

/** kustomize never looks into a composite, so nobody else would see it before it is deployed. */
function verify(bytes: Uint8Array, meant: object): void {
  const reading = readYaml(new TextDecoder().decode(bytes))
  const read = reading.ok ? reading.value.documents[0]?.value : undefined
  if (!isDeepStrictEqual(read, meant))
    throw new Error('a generated file does not say what was meant')
}
