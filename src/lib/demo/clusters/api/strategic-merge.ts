import { isList, isObject } from './json.ts'

/**
 * Strategic merge patches: as RFC 7386, but items of known lists are merged by a member that tells them apart, and
 * `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` say what a value alone cannot.
 */

/** The merge keys of the published types, by the name of the list. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  conditions: 'type',
  containers: 'name',
  env: 'name',
  ephemeralContainers: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  ownerReferences: 'uid',
  ports: 'containerPort',
  topologySpreadConstraints: 'topologyKey',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
}
/** Lists of plain values that are merged as sets. */
const SETS: ReadonlySet<string> = new Set(['finalizers'])

const ORDER = '$setElementOrder/'
const WITHOUT = '$deleteFromPrimitiveList/'

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
  for (const [name, value] of Object.entries(changes)) direct(merged, name, value)
  return Object.fromEntries(merged)
}

const isDeletion = (value: unknown) => isObject(value) && value['$patch'] === 'delete'

function mergeMember(name: string, before: unknown, value: unknown): unknown {
  if (!isList(value)) return strategicMerge(before, value)
  const items = isList(before) ? before : []
  if (SETS.has(name)) return [...new Set([...items, ...value])]
  const key = Object.hasOwn(MERGE_KEYS, name) ? MERGE_KEYS[name] : undefined
  return key === undefined ? value : mergeItems(items, value, key)
}

const keyOf = (item: unknown, key: string): unknown => (isObject(item) ? item[key] : undefined)

function mergeItems(before: readonly unknown[], patch: readonly unknown[], key: string): unknown[] {
  const isReplaced = patch.some((item) => isObject(item) && item['$patch'] === 'replace')
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

/** Directives about a list that stands beside them. */
function direct(merged: Map<string, unknown>, directive: string, value: unknown): void {
  if (!isList(value)) return
  if (directive.startsWith(WITHOUT)) {
    const name = directive.slice(WITHOUT.length)
    const list = merged.get(name)
    if (isList(list))
      merged.set(
        name,
        list.filter((item) => !value.includes(item)),
      )
  }
  if (directive.startsWith(ORDER)) {
    const name = directive.slice(ORDER.length)
    const list = merged.get(name)
    const key = MERGE_KEYS[name]
    if (isList(list) && key !== undefined) merged.set(name, inOrder(list, value, key))
  }
}

/** What the order does not name comes last, in the order that it had. */
function inOrder(list: readonly unknown[], order: readonly unknown[], key: string): unknown[] {
  const place = (item: unknown) => {
    const index = order.findIndex((one) => keyOf(one, key) === keyOf(item, key))
    return index === -1 ? order.length : index
  }
  return list.toSorted((a, b) => place(a) - place(b))
}
