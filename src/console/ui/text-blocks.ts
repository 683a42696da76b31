/** A line of a text, with the lines below it that are indented further. */
export interface TextBlock {
  readonly line: string
  readonly inside: readonly TextBlock[]
}

/** More lines are not shown. */
export const LINES_MAX = 5_000
/** Lines with a deeper indentation stay at this depth. */
const DEPTH_MAX = 30

/** The tree of a text by its indentation, as YAML, printed JSON and most languages have it. An empty line is beside the line before. */
export function blocksOf(text: string): readonly TextBlock[] {
  const root: { readonly line: string; readonly inside: TextBlock[] } = { line: '', inside: [] }
  const open = [{ indent: -1, block: root }]
  for (const line of text.trimEnd().split(/\r?\n/).slice(0, LINES_MAX)) {
    const block = { line, inside: [] }
    if (line.trim() === '') {
      ;(open.at(-2) ?? open.at(-1))?.block.inside.push(block)
      continue
    }
    const indent = line.search(/\S/)
    while (open.length > 1 && (open.at(-1)?.indent ?? 0) >= indent) open.pop()
    open.at(-1)?.block.inside.push(block)
    if (open.length <= DEPTH_MAX) open.push({ indent, block })
  }
  return root.inside
}

/** JSON in one line is printed with indentation. */
export function printed(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
