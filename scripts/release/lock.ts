/** Reads `bun.lock`: places of packages and their dependencies. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'

const Ranges = Type.Optional(Type.Record(Type.String(), Type.String()))
const Needs = {
  dependencies: Ranges,
  optionalDependencies: Ranges,
  peerDependencies: Ranges,
}

const Lock = Type.Object({
  lockfileVersion: Type.Literal(2),
  workspaces: Type.Object({ '': Type.Object(Needs) }),
  packages: Type.Record(
    Type.String(),
    Type.Tuple([
      Type.String({ pattern: '^.+@[^@]+$' }),
      Type.String(),
      Type.Object(Needs),
      Type.String({ pattern: '^sha512-' }),
    ]),
  ),
})

export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** SHA-512 of the archive in the registry, as `sha512-` and base64. */
  readonly integrity: string
  /** Keys of its locked dependencies. */
  readonly needs: readonly string[]
}

export interface Lock {
  /** Keys of the dependencies in `package.json`, without those of development. */
  readonly direct: readonly string[]
  /**
   * By the place below `node_modules`: `tslib`, or `tsyringe/tslib` for one that only `tsyringe` sees.
   */
  readonly packages: ReadonlyMap<string, LockedPackage>
}

/** Throws for packages that are not from an npm registry and for other versions of the format. */
export function parseLock(text: string): Lock {
  const { workspaces, packages } = Value.Parse(Lock, Bun.JSONC.parse(text))
  const keys = new Set(Object.keys(packages))
  const needsOf = (from: string, needs: NeedsOf) =>
    namesIn(needs).flatMap((name) => resolve(keys, from, name) ?? [])
  const entries = Object.entries(packages).map(([key, [id, , info, integrity]]) => {
    const at = id.lastIndexOf('@')
    const [name, version] = [id.slice(0, at), id.slice(at + 1)]
    return [key, { name, version, integrity, needs: needsOf(key, info) }] as const
  })
  return { direct: needsOf('', workspaces['']), packages: new Map(entries) }
}

type NeedsOf = { readonly [Kind in keyof typeof Needs]?: Record<string, string> }

const namesIn = ({ dependencies, optionalDependencies, peerDependencies }: NeedsOf) =>
  Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })

/** Node's order: below the dependent package, then below the packages around it. */
function resolve(keys: ReadonlySet<string>, from: string, name: string): string | undefined {
  const around = from.match(/(@[^/]+\/)?[^/]+/g) ?? []
  for (let depth = around.length; depth >= 0; depth -= 1) {
    const key = [...around.slice(0, depth), name].join('/')
    if (keys.has(key)) return key
  }
  return undefined
}

/** Keys of all packages that `bun install --production` installs. */
export function productionClosure({ direct, packages }: Lock): ReadonlySet<string> {
  const closure = new Set(direct)
  // Iterating a set includes members that are added meanwhile.
  for (const key of closure) {
    for (const needed of packages.get(key)?.needs ?? []) closure.add(needed)
  }
  return closure
}
