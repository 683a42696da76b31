/** The first folder below a directory on the way to a path; the directory itself for a file right in it. `''`: the root. */
export function folderBelow(directory: string, path: string): string {
  const start = directory === '' ? 0 : directory.length + 1
  const end = path.indexOf('/', start)
  return end < 0 ? directory : path.slice(0, end)
}
