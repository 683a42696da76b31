import type { TextLine } from '../api/lines.ts'
import { ansiSpans, type Span } from './ansi.ts'
import { jsonLine } from './json-line.ts'

export interface LogLine {
  /** As the program wrote it. */
  readonly raw: string
  /** As it is shown: without colours, and with control characters as pictures. */
  readonly text: string
  readonly spans: readonly Span[]
  readonly isCut: boolean
}

/** Consecutive lines. A full block never changes, so that it is drawn and searched once. */
export interface LogBlock {
  /** Number of its first line since the log was opened, from 0. */
  readonly first: number
  readonly lines: readonly LogLine[]
}

export interface LogLines {
  readonly blocks: readonly LogBlock[]
  /** Lines that were dropped at the beginning. */
  readonly dropped: number
}

export const BLOCK_LINES = 100
/** At least so many of the last lines are kept, if they are not too long. */
export const LINES_MAX = 5_000
/** Characters of all lines together, less than one block. */
export const CHARACTERS_MAX = 2_000_000

export const NO_LINES: LogLines = { blocks: [], dropped: 0 }

/** The log with further lines at its end, and without its first blocks when it is too large. */
export function appendLines(log: LogLines, added: readonly TextLine[]): LogLines {
  if (added.length === 0) return log
  const blocks = [...log.blocks]
  let last = blocks.at(-1)
  if (last !== undefined && last.lines.length < BLOCK_LINES) blocks.pop()
  else last = { first: (last?.first ?? log.dropped) + (last?.lines.length ?? 0), lines: [] }
  const lines = [...last.lines, ...added.map(logLine)]
  return bounded([...blocks, ...blocksOf(lines, last.first)])
}

function blocksOf(lines: readonly LogLine[], first: number): readonly LogBlock[] {
  const blocks: LogBlock[] = []
  for (let start = 0; start < lines.length; start += BLOCK_LINES) {
    blocks.push({ first: first + start, lines: lines.slice(start, start + BLOCK_LINES) })
  }
  return blocks
}

/** The level as loggers write it: a word in capitals, `level=error`, or a member of JSON, where pino counts. */
const ERROR = [
  /\b(?:ERROR|FATAL|PANIC|SEVERE|CRITICAL)\b/,
  /\b(?:level|severity|lvl)"?\s*[=:]\s*"?(?:error|fatal|panic|critical|[56]0)\b/i,
  /^(?:[a-z0-9.-]+\/[a-z0-9-]+ [\d:.]+ )?(?:panic|fatal|error|traceback|exception)\b/i,
]
const WARNING = [/\bWARN(?:ING)?\b/, /\b(?:level|severity|lvl)"?\s*[=:]\s*"?(?:warn(?:ing)?|40)\b/i]

export function levelOf({ text }: Pick<LogLine, 'text'>): 'bad' | 'warn' | undefined {
  if (ERROR.some((pattern) => pattern.test(text))) return 'bad'
  return WARNING.some((pattern) => pattern.test(text)) ? 'warn' : undefined
}

/** The least level of the lines that are shown. */
export type LeastLevel = 'all' | 'warn' | 'bad'

/** Lines of a level and above, numbered anew. */
export function linesFrom(log: LogLines, least: LeastLevel): LogLines {
  if (least === 'all') return log
  const isShown = (line: LogLine) => {
    const level = levelOf(line)
    return level === 'bad' || (level === 'warn' && least === 'warn')
  }
  const lines = log.blocks.flatMap((block) => block.lines).filter(isShown)
  return { blocks: blocksOf(lines, 0), dropped: log.dropped }
}

const written = new WeakMap<LogBlock, LogBlock>()

/** The log as the program wrote it: JSON is not opened. */
export const asWritten = ({ blocks, dropped }: LogLines): LogLines => ({
  blocks: blocks.map((block) => {
    const known = written.get(block) ?? {
      first: block.first,
      lines: block.lines.map(({ raw, isCut }) => shownLine(raw, isCut, ansiSpans(raw))),
    }
    written.set(block, known)
    return known
  }),
  dropped,
})

/** A line of the log of several containers: time, pod and container, and what was written. */
const ADDRESSED =
  /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d\.\d{3})\d{6}Z ([a-z0-9.-]+)(\/[a-z0-9-]+) (.*)$/s
const SOURCE_COLOURS = ['ansi-cyan', 'ansi-blue', 'ansi-magenta', 'ansi-green'] as const

function logLine({ text, isCut }: TextLine): LogLine {
  const [, time = '', pod = '', container = '', written = text] = ADDRESSED.exec(text) ?? []
  const spans = jsonLine(written)
  if (pod === '') return shownLine(text, isCut, spans ?? ansiSpans(text))
  const classes = SOURCE_COLOURS[fnv1a(pod) % SOURCE_COLOURS.length] ?? ''
  return shownLine(text, isCut, [
    { text: `${pod}${container} `, classes },
    ...(spans ?? [{ text: `${time} `, classes: 'ansi-grey' }, ...ansiSpans(written)]),
  ])
}

const shownLine = (raw: string, isCut: boolean, spans: readonly Span[]): LogLine => ({
  raw,
  text: spans.map((span) => span.text).join(''),
  spans,
  isCut,
})

/** Names a line in an address: FNV-1a of its text, of 32 bits. Loggers write the time, so that few lines are alike. */
export const addressOf = ({ raw }: Pick<LogLine, 'raw'>): string =>
  fnv1a(raw).toString(16).padStart(8, '0')

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

/** Finds a line by its address; blocks that do not change are searched once. */
export function createLineFinder(address: string) {
  const known = new WeakMap<LogBlock, number>()
  const inBlock = (block: LogBlock): number => {
    const at = known.get(block) ?? block.lines.findIndex((line) => addressOf(line) === address)
    known.set(block, at)
    return at
  }
  /** Number of the line; `undefined` when it is not there. */
  return ({ blocks }: LogLines): number | undefined => {
    const block = blocks.find((each) => inBlock(each) !== -1)
    return block && block.first + inBlock(block)
  }
}

function bounded(blocks: readonly LogBlock[]): LogLines {
  let from = blocks.length
  let lines = 0
  let characters = 0
  while (from > 0 && lines < LINES_MAX && characters < CHARACTERS_MAX) {
    from--
    const block = blocks[from]?.lines ?? []
    lines += block.length
    characters += block.reduce((sum, { text }) => sum + text.length, 0)
  }
  const kept = blocks.slice(from)
  return { blocks: kept, dropped: kept[0]?.first ?? 0 }
}

export const countLines = ({ blocks }: LogLines): number =>
  blocks.reduce((sum, { lines }) => sum + lines.length, 0)

/** The kept lines as they are shown, for the clipboard. */
export const textOf = ({ blocks }: LogLines): string =>
  blocks.flatMap(({ lines }) => lines.map(({ text }) => `${text}\n`)).join('')
