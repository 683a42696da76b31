/** Prints a row of a table: the measurement, then a cell for each subject. */
export const row = (label: string, ...cells: readonly string[]): void =>
  console.log(`  ${label.padEnd(58)} ${cells.map((cell) => cell.padStart(16)).join(' ')}`)
