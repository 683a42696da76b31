import { removeKey, setScalar } from '../../../yaml/edit.ts'
import { valueAt } from '../../../yaml/value-at.ts'
import type { YamlPath } from '../../../yaml/outline.ts'
import { readYaml, type YamlFile } from '../../../yaml/read.ts'
import type { Scalar } from '../../../yaml/scalar-style.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Base, CompositeBase, Image, OverlayConfig } from '../../gitops/overlay.ts'
import { configIn, imageIn, isEmpty, list } from './manifests.ts'

/**
 * Edits of an overlay that exists: people and CI write it too. Only the values that are asked for change, and every other byte stays.
 * An error says for people why that is not possible, and quotes nothing of the file.
 */

/** Sets the image of a kustomization. Tag and digest are one value: what the new image does not have is removed. */
export function withImage(
  kustomization: string,
  name: string,
  image: Image,
): Result<string, string> {
  const { tag: newTag, digest } = image
  const file = withEntry(kustomization, 'images', name, { newTag, digest })
  if (!file.ok) return file
  const written = imageIn(file.value, name)
  return written?.tag === image.tag && written.digest === image.digest
    ? ok(file.value.source)
    : err('the image would read differently')
}

/** Sets the replicas of a workload in a kustomization. */
export function withReplicas(
  kustomization: string,
  workload: string,
  count: number,
): Result<string, string> {
  const file = withEntry(kustomization, 'replicas', workload, { count })
  return file.ok ? ok(file.value.source) : file
}

/** Sets members of the entry of a name in a list of a kustomization; `null` removes a member. */
function withEntry(
  kustomization: string,
  field: 'images' | 'replicas',
  name: string,
  members: Readonly<Record<string, Scalar | null>>,
): Result<YamlFile, string> {
  const read = readYaml(kustomization)
  if (!read.ok) return err('it is not readable as YAML')
  const [document, ...others] = read.value.documents.map(({ value }) => value)
  if (document === undefined || !others.every(isEmpty)) return err('it is not one document')
  const entries = list(valueAt(document, [field]))
  const matching = entries.flatMap((entry, at) => (valueAt(entry, ['name']) === name ? [at] : []))
  if (matching.length > 1) return err(`${field} has more than one entry of this name`)
  const at = [field, matching[0] ?? entries.length]
  let file: Result<YamlFile, string> = setScalar(read.value, 0, [...at, 'name'], name)
  for (const [key, value] of Object.entries(members)) {
    if (file.ok && value !== null) file = setScalar(file.value, 0, [...at, key], value)
    else if (file.ok) file = removeKey(file.value, 0, [...at, key])
  }
  return file
}

/** Sets the named settings in the patch of an application. `databaseName`: for a database that has no name yet. */
export function withConfig(
  patch: string,
  base: CompositeBase,
  config: OverlayConfig,
  databaseName: string,
): Result<string, string> {
  const read = readYaml(patch)
  if (!read.ok) return err('it is not readable as YAML')
  const document = documentOf(read.value, base)
  if (document === undefined) return err(`it has no single patch of ${base.kind} ${base.name}`)
  let file = read.value
  const parameters = ['spec', 'parameters']
  const current = valueAt(file.documents[document]?.value, parameters)
  for (const [path, value] of settingsOf(config, base, current, databaseName)) {
    if (path.some((_, depth) => valueAt(current, [...path.slice(0, depth), '$patch']) === 'delete'))
      return err('a $patch in it deletes the value')
    if (isSame(valueAt(current, path), value)) continue
    const edited = setScalar(file, document, [...parameters, ...path], value)
    if (!edited.ok) return edited
    file = edited.value
  }
  const asked = configIn(file)
  return config.replicas === undefined || asked.replicas === config.replicas
    ? ok(file.source)
    : err('another patch in the file sets the same value')
}

/**
 * Paths and values of the settings that a request names, for the parameters that a patch has. `databaseName`: for a database that has
 * no name yet.
 */
export function settingsOf(
  { replicas, resources, ingress, database }: OverlayConfig,
  base: Pick<Base, 'database'>,
  current?: unknown,
  databaseName?: string,
): readonly (readonly [YamlPath, Scalar])[] {
  const enabled = valueAt(current, ['database', 'enabled'])
  const isEnabled = enabled === undefined ? base.database : enabled === true
  const newName = database && !valueAt(current, ['database', 'name']) ? databaseName : undefined
  const settings: readonly (readonly [YamlPath, Scalar | undefined])[] = [
    [['replicas'], replicas],
    ...(['requests', 'limits'] as const).flatMap((part) =>
      (['cpu', 'memory'] as const).map(
        (name) => [['resources', part, name], resources?.[part]?.[name]] as const,
      ),
    ),
    [['ingress', 'host'], ingress?.host],
    [['database', 'enabled'], database === undefined || isEnabled ? undefined : true],
    [['database', 'tier'], database?.tier],
    [['database', 'name'], database?.name ?? newName],
  ]
  return settings.flatMap(([path, value]) => (value === undefined ? [] : [[path, value] as const]))
}

/** A quantity such as `cpu: 1` is a number in YAML. */
const isSame = (current: unknown, value: Scalar): boolean =>
  current === value || (typeof current === 'number' && String(current) === value)

/** The patch of the composite: the only one of its kind or, of several, the one with its name. */
function documentOf({ documents }: YamlFile, { kind, name }: CompositeBase): number | undefined {
  const ofKind = [...documents.keys()].filter(
    (at) => valueAt(documents[at]?.value, ['kind']) === kind,
  )
  const named = ofKind.filter((at) => valueAt(documents[at]?.value, ['metadata', 'name']) === name)
  const [found, ...others] = named.length > 0 ? named : ofKind
  return others.length === 0 ? found : undefined
}
