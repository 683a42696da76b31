import { isObject } from './json.ts'

/** A Markdown document as a tree. Raw HTML in it is text. */
export type MarkdownNode = string | MarkdownElement

export interface MarkdownElement {
  /** Name of an HTML element that Markdown has; anything else is shown as its children. */
  readonly type: string
  /** Those of `SHOWN` that the element has. */
  readonly properties: Readonly<Record<string, string | number | boolean>>
  readonly children: readonly MarkdownNode[]
}

const SHOWN = ['href', 'src', 'alt', 'id', 'start', 'checked'] as const
/** Quotes and lists can be nested a hundred thousand deep in a small file; what is deeper than this is left out. */
const DEPTH_MAX = 40

/** Each row of a table has a cell in every column, whatever is written there: a small file can have millions. More of them are text. */
const CELLS_MAX = 20_000

export function parseMarkdown(text: string): readonly MarkdownNode[] {
  const parsed: unknown = Bun.markdown.react(text, undefined, {
    tables: cellsOf(text) <= CELLS_MAX,
    noHtmlBlocks: true,
    noHtmlSpans: true,
    autolinks: { url: true },
    headings: { ids: true },
  })
  return childrenOf(propertiesOf(parsed), 0)
}

/** The text of a document without its marks; of a picture its alternative. */
export const textOfMarkdown = (text: string): string => textOf(parseMarkdown(text))

const textOf = (nodes: readonly MarkdownNode[]): string =>
  nodes
    .map((node) =>
      typeof node === 'string' ? node : String(node.properties['alt'] ?? textOf(node.children)),
    )
    .join('')

/** At least so many cells as the tables of a text have. */
function cellsOf(text: string): number {
  let cells = 0
  let columns = 0
  for (const line of text.split(/\r\n?|\n/)) {
    if (/^[ \t]*$/.test(line)) columns = 0
    else if (/^[\s>|:-]+$/.test(line)) columns = Math.max(columns, line.split('|').length)
    cells += columns
  }
  return cells
}

function nodesIn(value: unknown, depth: number): readonly MarkdownNode[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((item: unknown) => nodesIn(item, depth))
  if (!isObject(value) || depth > DEPTH_MAX) return []
  const { type } = value
  if (typeof type !== 'string') return []
  const properties = propertiesOf(value)
  return [{ type, properties: shownOf(properties), children: childrenOf(properties, depth) }]
}

const childrenOf = (properties: Readonly<Record<string, unknown>>, depth: number) =>
  nodesIn(properties['children'], depth + 1)

function propertiesOf(element: unknown): Readonly<Record<string, unknown>> {
  const properties = isObject(element) ? element['props'] : undefined
  return isObject(properties) ? properties : {}
}

function shownOf(properties: Readonly<Record<string, unknown>>): MarkdownElement['properties'] {
  const shown: Record<string, string | number | boolean> = {}
  for (const name of SHOWN) {
    const value = properties[name]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      shown[name] = value
    }
  }
  return shown
}
