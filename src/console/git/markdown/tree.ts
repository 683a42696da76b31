/** A Markdown document as a tree. Raw HTML in it is text. */
export type MarkdownNode = string | MarkdownElement

export interface MarkdownElement {
  /** Name of an HTML element that Markdown has; anything else is shown as its children. */
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly children: readonly MarkdownNode[]
}

/** Quotes and lists can be nested a hundred thousand deep in a small file; what is deeper than this is left out. */
const DEPTH_MAX = 40

export function parseMarkdown(text: string): readonly MarkdownNode[] {
  const parsed: unknown = Bun.markdown.react(text, undefined, {
    noHtmlBlocks: true,
    noHtmlSpans: true,
    autolinks: { url: true },
    headings: { ids: true },
  })
  return childrenOf(propertiesOf(parsed), 0)
}

function nodesIn(value: unknown, depth: number): readonly MarkdownNode[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((item: unknown) => nodesIn(item, depth))
  if (!isRecord(value) || depth > DEPTH_MAX) return []
  const { type } = value
  if (typeof type !== 'string') return []
  const properties = propertiesOf(value)
  return [{ type, properties, children: childrenOf(properties, depth) }]
}

const childrenOf = (properties: Readonly<Record<string, unknown>>, depth: number) =>
  nodesIn(properties['children'], depth + 1)

function propertiesOf(element: unknown): Readonly<Record<string, unknown>> {
  const properties = isRecord(element) ? element['props'] : undefined
  return isRecord(properties) ? properties : {}
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
