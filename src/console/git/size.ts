/** "812 B", "4.1 KB", "1.2 MB" */
export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [amount, unit] = bytes < 1e6 ? [bytes / 1e3, 'KB'] : [bytes / 1e6, 'MB']
  return `${amount.toFixed(1)} ${unit}`
}

/** "1 file", "3 files" */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
