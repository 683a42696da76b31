import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Act } from './act.tsx'
import { Copy, copy } from './copy.tsx'
import { Choice } from './field.tsx'
import { Block, createNearness, type Nearness } from './log-block.tsx'
import {
  addressOf,
  asWritten,
  countLines,
  createLineFinder,
  type LeastLevel,
  linesFrom,
  type LogBlock,
  type LogLine,
  type LogLines,
  textOf,
} from './log-lines.ts'
import { followsEnd } from './log-scroll.ts'
import { createLogSearch, isSameMatch, type LogMatch, MATCHES_MAX, stepTo } from './log-search.ts'
import { SearchField } from './search-field.tsx'

export interface LogProps {
  /** Its accessible name, such as `Log of shop`. */
  readonly name: string
  readonly lines: LogLines
  /** Whether the view follows the last line. */
  readonly isAtEnd: Signal<boolean>
  /** Address of the line that a link leads to. */
  readonly chosen: string | undefined
  /** Chooses a line by its address, and answers the link to it. */
  readonly onChoose: (address: string) => string
  /** Controls in front of the search. */
  readonly children?: ComponentChildren
  /** The state of the log in words, below its lines. */
  readonly foot: ComponentChildren
}

const LEVELS = [
  { value: 'all', label: 'all levels' },
  { value: 'warn', label: 'warnings and errors' },
  { value: 'bad', label: 'errors only' },
] as const satisfies readonly { readonly value: LeastLevel; readonly label: string }[]

/** A log with search. It keeps its last line in view until somebody scrolls up. */
export function Log({ name, lines: all, isAtEnd, chosen, onChoose, children, foot }: LogProps) {
  const region = useRef<HTMLDivElement>(null)
  const isWrapped = useSignal(true)
  const isWritten = useSignal(false)
  const least = useSignal<LeastLevel>('all')
  const lines = useMemo(() => {
    const shown = isWritten.value ? asWritten(all) : all
    return linesFrom(shown, least.value)
  }, [all, isWritten.value, least.value])
  const text = useSignal('')
  const current = useSignal<LogMatch | null>(null)
  const search = useMemo(() => createLogSearch(text.value), [text.value])
  const matches = search.in(lines)
  const content = useRef<HTMLDivElement>(null)
  const nearness = useRef<Nearness | undefined>(undefined)
  const topBefore = useRef(0)
  const finder = useMemo(() => createLineFinder(chosen ?? ''), [chosen])
  const chosenLine = chosen === undefined ? undefined : finder(lines)
  useEnd(region, content, isAtEnd)
  useEffect(() => {
    region.current?.querySelector('.log-current')?.scrollIntoView({ block: 'center' })
  }, [current.value])
  useEffect(() => {
    if (chosenLine === undefined) return
    isAtEnd.value = false
    region.current?.querySelector('.log-chosen')?.scrollIntoView({ block: 'center' })
  }, [chosen, chosenLine === undefined])
  const found = current.value === null ? undefined : lineAt(lines, current.value.line)
  const linkTo = (line: LogLine) => onChoose(addressOf(line))
  return (
    <div>
      <div class="log-bar">
        {children}
        <SearchBar text={text} matches={matches} current={current} />
        <Choice
          label="Levels"
          value={least.value}
          options={LEVELS}
          onChoose={(value) => {
            least.value = LEVELS.find((each) => each.value === value)?.value ?? 'all'
            current.value = null
          }}
        />
        <Act
          isPressed={isWritten.value}
          title="Lines as they were written, without opening JSON"
          onClick={() => (isWritten.value = !isWritten.value)}
        >
          Raw
        </Act>
        <Act isPressed={isWrapped.value} onClick={() => (isWrapped.value = !isWrapped.value)}>
          Wrap
        </Act>
        <Copy name="the lines that are shown" text={() => textOf(lines)} />
        {found !== undefined && <Copy name="the link to this line" text={() => linkTo(found)} />}
      </div>
      <div
        ref={region}
        class={isWrapped.value ? 'log-lines log-wrapped' : 'log-lines'}
        role="log"
        aria-live="off"
        aria-label={name}
        // A region that scrolls has to be reached by keyboard (WCAG 2.1.1).
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          isAtEnd.value = followsEnd(isAtEnd.value, topBefore.current, currentTarget)
          topBefore.current = currentTarget.scrollTop
        }}
      >
        <div ref={content}>
          {lines.dropped > 0 && (
            <p class="log-note">{lines.dropped.toLocaleString('en')} earlier lines are not kept</p>
          )}
          {lines.blocks.map((block) => (
            <Block
              key={block.first}
              block={block}
              matches={search.inBlock(block)}
              current={isIn(block, current.value?.line) ? current.value : null}
              chosen={isIn(block, chosenLine) ? chosenLine : undefined}
              onChoose={(line) => void copy(linkTo(line), 'the link to this line')}
              nearness={() => {
                if (region.current !== null) nearness.current ??= createNearness(region.current)
                return nearness.current
              }}
            />
          ))}
        </div>
      </div>
      <p class="log-foot">
        {foot}
        {chosen !== undefined && chosenLine === undefined && countLines(lines) > 0 && (
          <span>The line of this link is not among these lines.</span>
        )}
        {!isAtEnd.value && (
          <Act
            icon="chevron"
            onClick={() => {
              region.current?.scrollTo({ top: region.current.scrollHeight })
              region.current?.focus()
            }}
          >
            To the last line
          </Act>
        )}
        <span class="log-count">{countLines(lines).toLocaleString('en')} lines</span>
      </p>
    </div>
  )
}

/** Keeps the last line in view while the view follows it, whatever changes the height of the lines. */
function useEnd(
  region: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
  isAtEnd: Signal<boolean>,
) {
  useEffect(() => {
    if (content.current === null) return undefined
    const observer = new ResizeObserver(() => {
      if (region.current !== null && isAtEnd.peek()) {
        region.current.scrollTop = region.current.scrollHeight
      }
    })
    observer.observe(content.current)
    return () => observer.disconnect()
  }, [])
}

const isIn = ({ first, lines }: LogBlock, line: number | undefined): boolean =>
  line !== undefined && line >= first && line < first + lines.length

function lineAt({ blocks }: LogLines, line: number): LogLine | undefined {
  const block = blocks.find((each) => isIn(each, line))
  return block?.lines[line - block.first]
}

interface SearchBarProps {
  readonly text: Signal<string>
  readonly matches: readonly LogMatch[]
  readonly current: Signal<LogMatch | null>
}

function SearchBar({ text, matches, current }: SearchBarProps) {
  const place = matches.findIndex((match) => isSameMatch(match, current.value))
  const step = (by: 1 | -1) => {
    const next = stepTo(matches.length, place === -1 ? null : place, by)
    current.value = next === null ? null : (matches[next] ?? null)
  }
  return (
    <search class="log-search">
      <SearchField
        label="Search the log"
        placeholder="Search the log…"
        value={text.value}
        onInput={(typed) => {
          text.value = typed
          current.value = null
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
        }}
      />
      <span class="log-found" role="status">
        {text.value !== '' && foundWords(matches.length, place)}
      </span>
      <span class="log-up">
        <Act icon="chevron" name="Previous match" onClick={() => step(-1)} />
      </span>
      <Act icon="chevron" name="Next match" onClick={() => step(1)} />
    </search>
  )
}

function foundWords(count: number, place: number): string {
  if (count === 0) return 'Not found'
  const all = count === MATCHES_MAX ? `${count}+` : String(count)
  return place === -1 ? `${all} found` : `${place + 1} of ${all}`
}
