/** A line of a table: what was measured, and a cell of each thing it was measured of. */
export const row = (what: string, ...cells: readonly string[]): void =>
  console.log(`  ${what.padEnd(58)} ${cells.map((cell) => cell.padStart(16)).join(' ')}`)
