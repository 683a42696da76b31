/** Comment lines of a file of YAML, of which two kinds have no order in common: 50 KB. */
export const manyLines = (kind: number): string =>
  Array.from(
    { length: 10_000 },
    (_, index) => `#${Bun.hash(`${kind} ${index}`).toString(36).slice(0, 3)}\n`,
  ).join('')
