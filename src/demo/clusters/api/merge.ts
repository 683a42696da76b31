import { isObject } from '../../../lib/text/json.ts'

/** A JSON merge patch (RFC 7386): members replace, null removes, lists are replaced as a whole. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  // An assignment to a member called `__proto__` would set the prototype.
  return Object.fromEntries(merged)
}

/** The members that identify list items in the published types (`patchMergeKey`), by the name of the list. */
const MERGE_KEYS: ReadonlyMap<string, string> = new Map([
  ['containers', 'name'],
  ['env', 'name'],
  ['hostAliases', 'ip'],
  ['imagePullSecrets', 'name'],
  ['initContainers', 'name'],
  ['ports', 'containerPort'],
  ['topologySpreadConstraints', 'topologyKey'],
  ['volumeDevices', 'devicePath'],
  ['volumeMounts', 'mountPath'],
  ['volumes', 'name'],
])

const ORDER = '$setElementOrder/'

/**
 * A Kubernetes strategic merge patch: as RFC 7386, but items of known lists are merged by their key. The directives
 * `$patch`, `$retainKeys` and `$setElementOrder/…` are supported.
 */
export function strategicMerge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const { $patch: directive, $retainKeys: retained, ...changes } = patch
  const merged = new Map<string, unknown>(
    directive === 'replace' || !isObject(target) ? [] : Object.entries(target),
  )
  if (isList(retained)) {
    for (const name of merged.keys()) if (!retained.includes(name)) merged.delete(name)
  }
  for (const [name, value] of Object.entries(changes)) {
    if (name.startsWith('$')) continue
    if (value === null || isDeletion(value)) merged.delete(name)
    else merged.set(name, mergeMember(name, merged.get(name), value))
  }
  for (const [name, value] of Object.entries(changes)) {
    if (name.startsWith(ORDER)) reorder(merged, name.slice(ORDER.length), value)
  }
  return Object.fromEntries(merged)
}

const isDeletion = (value: unknown) => isObject(value) && value['$patch'] === 'delete'

function mergeMember(name: string, before: unknown, value: unknown): unknown {
  if (!isList(value)) return strategicMerge(before, value)
  const key = MERGE_KEYS.get(name)
  return key === undefined ? value : mergeItems(isList(before) ? before : [], value, key)
}

const keyOf = (item: unknown, key: string): unknown => (isObject(item) ? item[key] : undefined)

function mergeItems(before: readonly unknown[], patch: readonly unknown[], key: string): unknown[] {
  const isReplaced = patch.some((item) => keyOf(item, '$patch') === 'replace')
  const items = isReplaced ? [] : [...before]
  for (const item of patch) {
    const index = items.findIndex((one) => keyOf(one, key) === keyOf(item, key))
    const directive = keyOf(item, '$patch')
    if (directive === 'replace') continue
    if (directive === 'delete') {
      if (index !== -1) items.splice(index, 1)
    } else if (index === -1) items.push(strategicMerge(undefined, item))
    else items[index] = strategicMerge(items[index], item)
  }
  return items
}

/** Items that the order does not name come last, in their present order. */
function reorder(merged: Map<string, unknown>, name: string, order: unknown): void {
  const list = merged.get(name)
  const key = MERGE_KEYS.get(name)
  if (!isList(list) || !isList(order) || key === undefined) return
  const position = (item: unknown) => {
    const index = order.findIndex((one) => keyOf(one, key) === keyOf(item, key))
    return index === -1 ? order.length : index
  }
  merged.set(
    name,
    list.toSorted((a, b) => position(a) - position(b)),
  )
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
