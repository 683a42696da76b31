import { isObject } from '../../../lib/text/json.ts'

/**
 * Strategic merge patches: as RFC 7386, but items of known lists are merged by a member that tells them apart, and
 * `$patch`, `$retainKeys` and `$setElementOrder/…` say what a value alone cannot.
 */

/** The merge keys of the published types, by the name of the list. */
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

export function strategicMerge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const { $patch: how, $retainKeys: retained, ...changes } = patch
  const merged = new Map<string, unknown>(
    how === 'replace' || !isObject(target) ? [] : Object.entries(target),
  )
  if (isList(retained)) {
    for (const name of merged.keys()) if (!retained.includes(name)) merged.delete(name)
  }
  for (const [name, value] of Object.entries(changes)) {
    if (name.startsWith('$')) continue
    if (value === null || isDeletion(value)) merged.delete(name)
    else merged.set(name, mergeMember(name, merged.get(name), value))
  }
  for (const [directive, value] of Object.entries(changes)) {
    if (directive.startsWith(ORDER)) reorder(merged, directive.slice(ORDER.length), value)
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
    const how = keyOf(item, '$patch')
    if (how === 'replace') continue
    if (how === 'delete') {
      if (index !== -1) items.splice(index, 1)
    } else if (index === -1) items.push(strategicMerge(undefined, item))
    else items[index] = strategicMerge(items[index], item)
  }
  return items
}

/** What the order does not name comes last, in the order that it had. */
function reorder(merged: Map<string, unknown>, name: string, order: unknown): void {
  const list = merged.get(name)
  const key = MERGE_KEYS.get(name)
  if (!isList(list) || !isList(order) || key === undefined) return
  const place = (item: unknown) => {
    const index = order.findIndex((one) => keyOf(one, key) === keyOf(item, key))
    return index === -1 ? order.length : index
  }
  merged.set(
    name,
    list.toSorted((a, b) => place(a) - place(b)),
  )
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
