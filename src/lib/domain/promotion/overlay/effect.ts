import { RepositoryPath } from '../../../names.ts'
import { valueAt } from '../../../yaml/value-at.ts'
import type { YamlPath } from '../../../yaml/outline.ts'
import { type CompositeBase, OVERLAY_BYTES_MAX, PATCH_FILE } from '../../gitops/overlay.ts'
import { documentsOf, list, onlyDocumentOf } from './manifests.ts'
import type { Texts } from '../texts.ts'

/**
 * kustomize would build an overlay without complaint whose image reaches nothing, or whose later patch sets the same value again. A
 * release of such an overlay is refused instead of having no effect.
 */
export interface OverlayToBuild {
  readonly base: Pick<CompositeBase, 'apiVersion' | 'kind'>
  readonly folder: string
  readonly kustomization: string
  /** Texts of the files of the overlay. */
  readonly texts: Texts
}

/** Characters of all files that are parsed for one question, because everybody waits meanwhile. Files beyond count as missing. */
const CHARACTERS_MAX = 4 * OVERLAY_BYTES_MAX

/** A kustomization may name one file thousands of times: it is read once. */
function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  let left = CHARACTERS_MAX
  return [...new Set(texts)]
    .filter((text) => text !== undefined)
    .filter(({ length }) => (left -= length) >= 0)
}

function fileIn({ folder, texts }: OverlayToBuild, name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const path = RepositoryPath.parse(`${folder}/${name.replace(/^\.\//, '')}`)
  return path && texts.get(path)
}

const IMAGE_FIELD = 'spec/parameters/image'

/** Why a tag in `images` does not reach the composite, for people. */
export function imageFault(overlay: OverlayToBuild): string | undefined {
  const document = onlyDocumentOf(overlay.kustomization)
  const names = list(valueAt(document, ['configurations']))
  const texts = distinct(names.map((name) => fileIn(overlay, name)))
  const fields = texts.flatMap((text) =>
    documentsOf(text).flatMap((each) => list(valueAt(each, ['images']))),
  )
  const isReached = fields.some((field) => {
    const path = valueAt(field, ['path'])
    const isField = typeof path === 'string' && path.replace(/^\//, '') === IMAGE_FIELD
    return isField && isOfBase(field, overlay.base)
  })
  return isReached
    ? undefined
    : `its images do not reach ${IMAGE_FIELD}: add image-transformer.yaml, as a promotion writes it, to its configurations`
}

/** A field of a transformer applies to all kinds unless it names one. */
function isOfBase(field: unknown, { apiVersion, kind }: OverlayToBuild['base']): boolean {
  const slash = apiVersion.indexOf('/')
  const group = apiVersion.slice(0, Math.max(slash, 0))
  const version = apiVersion.slice(slash + 1)
  return Object.entries({ group, version, kind }).every(([name, own]) => {
    const named = valueAt(field, [name]) ?? ''
    return named === '' || named === own
  })
}

/** The first of these parameters that another patch sets after ours, for people. */
export function patchFault(
  overlay: OverlayToBuild,
  parameters: readonly YamlPath[],
): string | undefined {
  const patches = patchesOf(overlay.kustomization)
  const ours = patches.findIndex(isPatchFile)
  const later = patches.slice(ours + 1)
  for (const text of distinct(
    later.map((entry) => inlineOf(entry) ?? fileIn(overlay, pathOf(entry))),
  )) {
    const contents = documentsOf(text)
    const taken = parameters.find((path) => contents.some((each) => sets(each, overlay.base, path)))
    if (taken !== undefined)
      return `a later patch in it sets spec.parameters.${taken.join('.')} too`
  }
  return undefined
}

/** Whether a kustomization applies the patch that Portico edits. */
export const usesPatch = (kustomization: string): boolean =>
  patchesOf(kustomization).some(isPatchFile)

/** The entries of patches, in the order in which kustomize applies them. */
function patchesOf(kustomization: string): readonly unknown[] {
  const document = onlyDocumentOf(kustomization)
  return ['patchesStrategicMerge', 'patches', 'patchesJson6902'].flatMap((field) =>
    list(valueAt(document, [field])),
  )
}

const pathOf = (entry: unknown): unknown =>
  typeof entry === 'string' ? entry : valueAt(entry, ['path'])

const isPatchFile = (entry: unknown): boolean =>
  pathOf(entry) === PATCH_FILE || pathOf(entry) === `./${PATCH_FILE}`

/** The text of a patch that is written inside of the kustomization. */
function inlineOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry.includes('\n') ? entry : undefined
  const patch = valueAt(entry, ['patch'])
  return typeof patch === 'string' ? patch : undefined
}

/** Whether a patch, a merge or a list of operations, sets a parameter. */
function sets(patch: unknown, { kind }: Pick<CompositeBase, 'kind'>, path: YamlPath): boolean {
  if (!Array.isArray(patch)) {
    return (
      valueAt(patch, ['kind']) === kind &&
      valueAt(patch, ['spec', 'parameters', ...path]) !== undefined
    )
  }
  const pointer = `/spec/parameters/${path.join('/')}`
  return patch.some((operation: unknown) => {
    const at = valueAt(operation, ['path'])
    return typeof at === 'string' && (pointer === at || pointer.startsWith(`${at}/`))
  })
}
