import { type ComponentChildren, h } from 'preact'
import type { components } from '../api/schema.gen.ts'
import { HEADING_PREFIX } from './links.ts'
import { visible } from './visible.ts'

export type MarkdownNode = components['schemas']['MarkdownTree']['nodes'][number]
type MarkdownElement = Exclude<MarkdownNode, string>

export interface MarkdownProps {
  readonly nodes: readonly MarkdownNode[]
  /** Address that a link leads to; `undefined` for one that is not followed. */
  readonly link: (href: string) => string | undefined
  /** Address of a picture of ours; `undefined` for one that is not loaded. */
  readonly picture: (src: string) => string | undefined
}

/** Elements that are drawn as they are named. */
const PLAIN = /^(?:p|blockquote|ul|thead|tbody|tr|td|em|strong|del|code)$/

/** A document that anybody may have written: elements are those of the cases below, and everything else is text. */
export const Markdown = (props: MarkdownProps) => (
  <div class="prose">{drawn(props.nodes, props)}</div>
)

const drawn = (nodes: readonly MarkdownNode[], props: MarkdownProps): ComponentChildren =>
  nodes.map((node, index) =>
    typeof node === 'string' ? (
      node.split('\n').map(visible).join('\n')
    ) : (
      <Element key={index} node={node} props={props} />
    ),
  )

/** The document of the API leaves open how deep nodes are nested; inside are further ones. */
function childrenOf({ children }: MarkdownElement): readonly MarkdownNode[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return children as readonly MarkdownNode[]
}

interface ElementProps {
  readonly node: MarkdownElement
  readonly props: MarkdownProps
}

function Element({ node, props }: ElementProps) {
  const { type, properties } = node
  const inside = drawn(childrenOf(node), props)
  const text = (name: string) => String(properties[name] ?? '')
  if (PLAIN.test(type)) return h(type, null, inside)
  switch (type) {
    // The heading of the page is above those of the document.
    case 'h1':
      return (
        <h2 class="prose-title" id={HEADING_PREFIX + text('id')}>
          {inside}
        </h2>
      )
    case 'h2':
      return <h3 id={HEADING_PREFIX + text('id')}>{inside}</h3>
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return <h4 id={HEADING_PREFIX + text('id')}>{inside}</h4>
    case 'ol':
      return <ol start={Number(properties['start'] ?? 1)}>{inside}</ol>
    case 'li':
      return (
        <li>
          {typeof properties['checked'] === 'boolean' && (properties['checked'] ? '☑ ' : '☐ ')}
          {inside}
        </li>
      )
    case 'pre':
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre tabIndex={0}>
          <code>{inside}</code>
        </pre>
      )
    case 'table':
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div class="prose-table" tabIndex={0} role="region" aria-label="Table">
          <table>{inside}</table>
        </div>
      )
    case 'th':
      return <th scope="col">{inside}</th>
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'a': {
      const href = props.link(text('href'))
      return href === undefined ? (
        <>{inside}</>
      ) : (
        <a href={href} rel="noopener noreferrer">
          {inside}
        </a>
      )
    }
    case 'img': {
      const src = props.picture(text('src'))
      return src === undefined ? (
        <span class="muted">Picture: {text('alt')}</span>
      ) : (
        <img src={src} alt={text('alt')} loading="lazy" />
      )
    }
    default:
      return <>{inside}</>
  }
}
