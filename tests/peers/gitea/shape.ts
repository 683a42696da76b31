/**
 * The members of a JSON value with their types, such as `owner.login: string`. A list has the members of its first item. A
 * `null` says nothing: Gitea writes it for empty lists and missing objects alike.
 */
export function shapeOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  const shape = new Map<string, string>()
  const add = (inner: unknown, at: string) => {
    for (const [member, type] of shapeOf(inner, at)) shape.set(member, type)
  }
  if (Array.isArray(value)) {
    shape.set(path, 'list')
    if (value.length > 0) add(value[0], `${path}[]`)
  } else if (typeof value === 'object' && value !== null) {
    shape.set(path, 'object')
    for (const [name, member] of Object.entries(value)) add(member, `${path}.${name}`)
  } else shape.set(path, value === null ? 'null' : typeof value)
  return shape
}

/** Where two shapes differ: in the members of an object, or in the type of a member that both have. */
export function differences(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): readonly string[] {
  const isBelowUnknown = (path: string, in_: ReadonlyMap<string, string>) =>
    [...in_].some(
      ([known, type]) =>
        path !== known &&
        path.startsWith(known) &&
        (type === 'null' || (type === 'list' && !in_.has(`${known}[]`))),
    )
  const missing = (has: ReadonlyMap<string, string>, lacks: ReadonlyMap<string, string>) =>
    [...has.keys()].filter((path) => !lacks.has(path) && !isBelowUnknown(path, lacks))
  const types = [...one].filter(([path, type]) => {
    const its = other.get(path) ?? 'null'
    return type !== its && type !== 'null' && its !== 'null'
  })
  return [
    ...missing(one, other).map((path) => `only the first has ${path}`),
    ...missing(other, one).map((path) => `only the second has ${path}`),
    ...types.map(([path, type]) => `${path} is ${type} and ${other.get(path)}`),
  ]
}
