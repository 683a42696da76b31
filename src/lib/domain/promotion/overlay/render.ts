import type { WrittenFile } from '../../../ports/git-host.ts'
import { isDeepStrictEqual } from 'node:util'
import type { RepositoryPath } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { readYaml } from '../../../yaml/read.ts'
import { toYaml } from '../../../yaml/write.ts'
import {
  defaultDatabaseName,
  OVERLAY_FILES,
  overlayObjects,
  PATCH_FILE,
} from '../../gitops/overlay.ts'
import type { MoveFailure } from '../failure.ts'
import { settingsOf, withConfig, withImage, withReplicas } from './edit.ts'
import { imageFault, patchFault, usesPatch } from './effect.ts'
import { type ImageChoice, type OverlayFacts, overlayPaths, type OverlaySpec } from './facts.ts'
import type { Texts } from '../texts.ts'

/** The image of an overlay: from the request, else from the overlay that exists, else from the previous environment. */
export function imageFor(
  { kind, kustomization, requested, carried }: OverlaySpec,
  { texts, there }: Pick<OverlayFacts, 'texts' | 'there'>,
): ImageChoice {
  if (requested !== null) return requested
  const before = carried?.image ?? null
  const image = texts.has(kustomization) ? there.image : before
  const isCarried = kind === 'promotion' && isDeepStrictEqual(image, before)
  return { image, from: isCarried ? (carried?.from ?? null) : null }
}

/** The name of that image: an overlay that exists may give it another one than the previous environment does. */
export const imageNameFor = (
  { kustomization, base, newName }: OverlaySpec,
  { texts, there }: Pick<OverlayFacts, 'texts' | 'there'>,
): string => (texts.has(kustomization) ? there.newName : newName) ?? base.image

/** Whether a request names anything that an overlay has. */
export const namesOverlay = (spec: OverlaySpec): boolean =>
  spec.requested !== null || namesPatch(spec)

const namesPatch = ({ config, base }: OverlaySpec): boolean => settingsOf(config, base).length > 0

/** The files of a move: new ones where there are none, else the texts that are there with nothing but the named values changed. */
export function overlayFiles(
  spec: OverlaySpec,
  facts: OverlayFacts,
): Result<readonly WrittenFile[], MoveFailure> {
  const { onMain, merged } = facts
  const files: WrittenFile[] = []
  const isUnproposed = (path: RepositoryPath) =>
    merged === null || merged.texts.get(path) === onMain.get(path)
  const texts = new Map(facts.texts)
  for (const path of overlayPaths(spec)) {
    const existing = texts.get(path)
    const edited =
      existing === undefined
        ? newFile(spec, path, facts)
        : editOrReplace(spec, path, existing, facts)
    if (!edited.ok) return err({ kind: 'overlay_not_editable', path, reason: edited.error })
    const text = edited.value
    if (text === null) continue
    texts.set(path, text)
    // The pull request of a release has no file that stays as it was.
    if (spec.kind === 'release' && text === existing && isUnproposed(path)) continue
    files.push({ kind: 'write', path, bytes: new TextEncoder().encode(text) })
  }
  const fault = effectFault(spec, texts)
  return fault === undefined ? ok(files) : err({ kind: 'overlay_not_editable', ...fault })
}

/** Why what a release names would have no effect. */
function effectFault(
  { kind, base, requested, config, folder, kustomization: path }: OverlaySpec,
  texts: Texts,
): { readonly path: RepositoryPath; readonly reason: string } | undefined {
  // kustomize sets images and replicas of plain manifests after all patches.
  if (kind === 'promotion' || base.kind === null) return undefined
  const overlay = { base, folder, kustomization: texts.get(path) ?? '', texts }
  const parameters = settingsOf(config, base).map(([parameter]) => parameter)
  const reason =
    patchFault(overlay, parameters) ?? (requested === null ? undefined : imageFault(overlay))
  return reason === undefined ? undefined : { path, reason }
}

/** A file that an overlay does not have yet, or `null` if a release does not need it. */
function newFile(
  spec: OverlaySpec,
  path: RepositoryPath,
  facts: OverlayFacts,
): Result<string | null, string> {
  const { promotable, base, stage, namespace, config, newName } = spec
  if (spec.kind === 'release') {
    const isImage = spec.requested !== null && path === spec.kustomization
    const isNeeded = isImage || namesPatch(spec)
    return isNeeded ? err('there is no such file, or it cannot be read') : ok(null)
  }
  const { team, app } = promotable
  const { image } = imageFor(spec, facts)
  const { environment } = stage
  const overlay = { team, app, environment, namespace, base, config, image, newName }
  const objects = overlayObjects(overlay)
  const file = OVERLAY_FILES.find((name) => path === `${spec.folder}/${name}`)
  const object = file && objects[file]
  if (object === undefined) return ok(null)
  const bytes = toYaml(object)
  verify(bytes, object)
  return ok(new TextDecoder().decode(bytes))
}

/** The branch of a promotion is Portico's: a file that cannot be edited there is written anew. */
function editOrReplace(
  spec: OverlaySpec,
  path: RepositoryPath,
  existing: string,
  facts: OverlayFacts,
): Result<string | null, string> {
  const edited = edit(spec, path, existing)
  return edited.ok || spec.kind === 'release' ? edited : newFile(spec, path, facts)
}

function edit(spec: OverlaySpec, path: RepositoryPath, existing: string): Result<string, string> {
  const { base, requested, config, promotable, stage } = spec
  if (path === spec.kustomization) {
    if (base.kind !== null && namesPatch(spec) && !usesPatch(existing))
      return err(`it does not have ${PATCH_FILE} in its patches`)
    const { replicas } = config
    const isScaled = base.kind === null && base.workload !== null && replicas !== undefined
    const scaled = isScaled ? withReplicas(existing, base.workload, replicas) : ok(existing)
    const image = requested?.image ?? null
    return image === null || !scaled.ok ? scaled : withImage(scaled.value, base.image, image)
  }
  if (base.kind === null || path !== spec.patch || !namesPatch(spec)) return ok(existing)
  return withConfig(existing, base, config, defaultDatabaseName(promotable.app, stage.environment))
}

/** kustomize does not validate a composite, so a mistake would only show once it is deployed. */
function verify(bytes: Uint8Array, expected: object): void {
  const reading = readYaml(new TextDecoder().decode(bytes))
  const read = reading.ok ? reading.value.documents[0]?.value : undefined
  if (!isDeepStrictEqual(read, expected)) throw new Error('a generated file reads differently')
}
