/**
 * The part of the `Reflect` metadata proposal that `tsyringe` calls, and `@peculiar/x509` does not load without. Metadata
 * is kept per object and never inherited: what asks for it is decorated itself.
 */
const kept = new WeakMap<object, Map<unknown, unknown>>()

const read = (key: unknown, target: object): unknown => kept.get(target)?.get(key)

const proposal = {
  getMetadata: read,
  getOwnMetadata: read,
  defineMetadata(key: unknown, value: unknown, target: object): void {
    const own = kept.get(target) ?? new Map<unknown, unknown>()
    kept.set(target, own.set(key, value))
  },
}

/** Leaves alone what another library has put there. */
export function provideReflectMetadata(): void {
  if (!('getMetadata' in Reflect)) Object.assign(Reflect, proposal)
}
