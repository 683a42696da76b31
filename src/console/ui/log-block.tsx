import { Component } from 'preact'
import { LINE_CHARACTERS_MAX } from '../api/lines.ts'
import { BLOCK_LINES, levelOf, type LogBlock, type LogLine } from './log-lines.ts'
import { isSameMatch, type LogMatch, type MarkedSpan, markSpans } from './log-search.ts'

/** Height of a line that is not wrapped, in pixels: the guess for lines that were never drawn. */
const LINE_PX = 19.2

/** Tells elements of a region that scrolls whether they are in its view, or less than a view away. */
export interface Nearness {
  /** Returns the function that ends it. */
  watch(element: Element, tell: (isNear: boolean) => void): () => void
}

export function createNearness(region: Element): Nearness {
  const listeners = new WeakMap<Element, (isNear: boolean) => void>()
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting)
    },
    { root: region, rootMargin: '100% 0px' },
  )
  return {
    watch(element, tell) {
      listeners.set(element, tell)
      observer.observe(element)
      return () => observer.unobserve(element)
    },
  }
}

export interface BlockProps {
  readonly block: LogBlock
  readonly matches: readonly LogMatch[]
  /** The match that was stepped to, if it is in this block. */
  readonly current: LogMatch | null
  /** Number of the line that the address names, if it is in this block. */
  readonly chosen: number | undefined
  readonly onChoose: (line: LogLine) => void
  /** Undefined until the region is there. */
  readonly nearness: () => Nearness | undefined
}

interface BlockState {
  readonly isNear: boolean
}

/**
 * Lines that are drawn while they are near the view; otherwise an empty element of their height. A block that still grows is the last
 * one, and always drawn. A block is drawn again only when it, its matches or its current match change.
 */
export class Block extends Component<BlockProps, BlockState> {
  override state: BlockState = { isNear: false }
  private element: HTMLDivElement | null = null
  private height = 0
  private unwatch: (() => void) | undefined

  override componentDidMount() {
    if (this.element === null) return
    this.unwatch = this.props.nearness()?.watch(this.element, (isNear) => {
      if (!isNear && this.element !== null) this.height = this.element.offsetHeight
      this.setState({ isNear })
    })
  }

  override componentWillUnmount() {
    this.unwatch?.()
  }

  override shouldComponentUpdate(next: BlockProps, { isNear }: BlockState) {
    const { props, state } = this
    const { block, matches, current, chosen } = next
    return (
      block !== props.block ||
      matches !== props.matches ||
      chosen !== props.chosen ||
      current !== props.current ||
      isNear !== state.isNear
    )
  }

  override render(props: BlockProps, { isNear }: BlockState) {
    const { block, matches, current, chosen, onChoose } = props
    const { first, lines } = block
    const isSought = current !== null || chosen !== undefined
    const isDrawn = isNear || isSought || lines.length < BLOCK_LINES
    const height = isDrawn ? '' : `${this.height || lines.length * LINE_PX}px`
    return (
      <div
        ref={(element) => {
          this.element = element
        }}
        style={{ height }}
      >
        {isDrawn &&
          lines.map((line, index) => (
            <Line
              key={first + index}
              line={line}
              matches={matches.filter((match) => match.line === first + index)}
              current={current}
              isChosen={chosen === first + index}
              onChoose={() => onChoose(line)}
            />
          ))}
      </div>
    )
  }
}

interface LineProps {
  readonly line: LogLine
  readonly matches: readonly LogMatch[]
  readonly current: LogMatch | null
  readonly isChosen: boolean
  readonly onChoose: () => void
}

const Line = ({ line, matches, current, isChosen, onChoose }: LineProps) => (
  <div class={isChosen ? 'log-line log-chosen' : 'log-line'} data-tone={levelOf(line)}>
    {/* Decoration for the mouse: the bar has the link of a line that was found. */}
    <button
      type="button"
      class="log-pick"
      tabIndex={-1}
      aria-hidden="true"
      title="Copy the link to this line"
      onClick={onChoose}
    />
    {markSpans(line.spans, matches).map((span, index) => (
      <Part key={index} span={span} current={current} />
    ))}
    {line.isCut && (
      <em class="log-note"> … cut after {LINE_CHARACTERS_MAX.toLocaleString('en')} characters</em>
    )}
  </div>
)

interface PartProps {
  readonly span: MarkedSpan
  readonly current: LogMatch | null
}

function Part({ span: { text, classes, match }, current }: PartProps) {
  if (match !== null) {
    return <mark class={isSameMatch(match, current) ? 'log-current' : ''}>{text}</mark>
  }
  return classes === '' ? <>{text}</> : <span class={classes}>{text}</span>
}
