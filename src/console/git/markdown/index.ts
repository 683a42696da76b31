import { type Html, type Value, html, tagged } from '../../../lib/http/html.ts'
import { plainText } from '../parts.ts'
import { HEADING_PREFIX } from '../../../console/ui/links.ts'
import { type Home, targetOf } from './target.ts'
import {
  type MarkdownElement,
  type MarkdownNode,
  parseMarkdown,
} from '../../../lib/text/markdown.ts'

/**
 * Renders Markdown that anybody may have written. Elements come from the table below alone, texts are escaped, links lead to the web or into
 * the repository, and of a picture there is the text alone: the page loads nothing from elsewhere.
 */
export const markdown = (text: string, home: Home = null): Html =>
  html`<div class="prose">${nodes(parseMarkdown(text), home)}</div>`

const nodes = (list: readonly MarkdownNode[], home: Home): Value =>
  list.map((node) => (typeof node === 'string' ? plainText(node) : element(node, home)))

/** Elements without attributes. */
const PLAIN = /^(?:p|blockquote|ul|thead|tbody|tr|td|em|strong|del|code)$/

function element(node: MarkdownElement, home: Home): Value {
  const inside = nodes(node.children, home)
  if (PLAIN.test(node.type)) return tagged(node.type, inside)
  switch (node.type) {
    case 'h1':
    case 'h2':
      return heading(node, inside)
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return html`<h4 id="${headingId(node)}">${inside}</h4>`
    case 'ol':
      return html`<ol start="${startOf(node)}">
        ${inside}
      </ol>`
    case 'li':
      return html`<li>${taskMark(node)}${inside}</li>`
    case 'pre':
      return html`<pre tabindex="0"><code>${inside}</code></pre>`
    case 'table':
      return html`<div class="prose-table" tabindex="0" role="region" aria-label="Table">
        <table>
          ${inside}
        </table>
      </div>`
    case 'th':
      return html`<th scope="col">${inside}</th>`
    case 'hr':
      return html`<hr />`
    case 'br':
      return html`<br />`
    case 'a':
      return link(node.properties['href'], inside, home)
    case 'img':
      return html`<span class="muted">Picture: ${textOf(node.properties['alt'])}</span>`
    default:
      return inside
  }
}

/** The headings of the page are above those of the document. */
const heading = (node: MarkdownElement, inside: Value): Html =>
  node.type === 'h1'
    ? html`<h3 class="prose-title" id="${headingId(node)}">${inside}</h3>`
    : html`<h3 id="${headingId(node)}">${inside}</h3>`

const headingId = ({ properties }: MarkdownElement): string =>
  `${HEADING_PREFIX}${textOf(properties['id'])}`

const startOf = ({ properties: { start } }: MarkdownElement): number =>
  typeof start === 'number' && Number.isSafeInteger(start) ? start : 1

function taskMark({ properties: { checked } }: MarkdownElement): Value {
  if (typeof checked !== 'boolean') return null
  return checked ? '☑ ' : '☐ '
}

function link(address: unknown, inside: Value, home: Home): Value {
  const target = targetOf(address, home)
  if (target === undefined) return inside
  return target.isElsewhere
    ? html`<a href="${target.href}" rel="noopener noreferrer">${inside}</a>`
    : html`<a href="${target.href}">${inside}</a>`
}

const textOf = (value: unknown): string => (typeof value === 'string' ? plainText(value) : '')
