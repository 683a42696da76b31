/** Reads `bun.lock`: which package is installed where, and what it needs. */
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
  /** The keys of the packages that it needs and that are locked. */
  readonly needs: readonly string[]
}

export interface Lock {
  /** The keys of the packages that are named in `package.json`, but for those of development. */
  readonly direct: readonly string[]
  /**
   * By where a package is installed, from `node_modules`: `tslib`, or `tsyringe/tslib` for one that only `tsyringe` sees.
   */
  readonly packages: ReadonlyMap<string, LockedPackage>
}

/** A package of another kind than an npm registry's, or another version of the format, is a bug of the caller. */
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

/** As Node looks for packages: below the one that asks, then below those around it. */
function resolve(keys: ReadonlySet<string>, from: string, name: string): string | undefined {
  const around = from.match(/(@[^/]+\/)?[^/]+/g) ?? []
  for (let depth = around.length; depth >= 0; depth -= 1) {
    const key = [...around.slice(0, depth), name].join('/')
    if (keys.has(key)) return key
  }
  return undefined
}

/** The keys of all that `bun install --production` installs. */
export function productionClosure({ direct, packages }: Lock): ReadonlySet<string> {
  const found = new Set(direct)
  // A set is walked on to what is added while it is walked.
  for (const key of found) {
    for (const needed of packages.get(key)?.needs ?? []) found.add(needed)
  }
  return found
}
