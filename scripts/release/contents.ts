/** The packages in an executable. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Lock, LockedPackage } from './lock.ts'
import { productionClosure } from './lock.ts'
import { ReleaseFailure } from './release-failure.ts'

const Manifest = Type.Object({
  name: Type.String(),
  version: Type.String(),
  license: Type.String({ minLength: 1 }),
})

export interface LicensedPackage extends LockedPackage {
  /** SPDX identifier or expression. */
  readonly licence: string
}

/** Key in the lock of the package that a module belongs to; `undefined`: a module of ours. */
export function packageOf(module: string): string | undefined {
  const [, ...inside] = module.split('node_modules/')
  if (inside.length === 0) return undefined
  return inside.map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '').join('/')
}

/** The packages of the modules, by their keys in the lock, as installed below the working directory. */
export async function contentsOf(
  modules: readonly string[],
  lock: Lock,
): Promise<ReadonlyMap<string, LicensedPackage>> {
  const closure = productionClosure(lock)
  const keys = new Set(modules.flatMap((module) => packageOf(module) ?? []))
  const entries = [...keys].toSorted().map(async (key) => {
    const locked = lock.packages.get(key)
    if (locked === undefined || !closure.has(key)) {
      throw new ReleaseFailure(`${key} is in the executable, and not locked for production`)
    }
    return [key, await licensed(locked, folderOf(key))] as const
  })
  return new Map(await Promise.all(entries))
}

const folderOf = (key: string): string =>
  (key.match(/(@[^/]+\/)?[^/]+/g) ?? []).map((name) => `node_modules/${name}`).join('/')

/** Adds the licence that a package names. The installed package must be the locked one. */
export async function licensed(locked: LockedPackage, folder: string): Promise<LicensedPackage> {
  const manifest: unknown = await Bun.file(`${folder}/package.json`).json()
  if (!Value.Check(Manifest, manifest)) {
    throw new ReleaseFailure(`${folder} does not name its licence`)
  }
  const { name, version, license } = manifest
  if (name !== locked.name || version !== locked.version) {
    const expected = `${locked.name} ${locked.version}`
    throw new ReleaseFailure(`${folder} is ${name} ${version}, and ${expected} is locked`)
  }
  return { ...locked, licence: license }
}
