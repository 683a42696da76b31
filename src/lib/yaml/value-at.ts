import type { YamlPath } from './outline.ts'

/** The value at a path of a document that was read. Own properties only: a path may be `__proto__`. */
export const valueAt = (value: unknown, path: YamlPath): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null
        ? Object.getOwnPropertyDescriptor(at, key)?.value
        : undefined,
    value,
  )
