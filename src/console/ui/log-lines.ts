import type { TextLine } from '../api/lines.ts'
import { ansiSpans, type Span } from './ansi.ts'

export interface LogLine {
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
  /^(?:panic|fatal|error|traceback|exception)\b/i,
]
const WARNING = [/\bWARN(?:ING)?\b/, /\b(?:level|severity|lvl)"?\s*[=:]\s*"?(?:warn(?:ing)?|40)\b/i]

export function levelOf({ text }: Pick<LogLine, 'text'>): 'bad' | 'warn' | undefined {
  if (ERROR.some((pattern) => pattern.test(text))) return 'bad'
  return WARNING.some((pattern) => pattern.test(text)) ? 'warn' : undefined
}

/** The errors alone, numbered anew. */
export const errorsIn = ({ blocks, dropped }: LogLines): LogLines => ({
  blocks: blocksOf(
    blocks.flatMap(({ lines }) => lines).filter((line) => levelOf(line) === 'bad'),
    0,
  ),
  dropped,
})

function logLine({ text, isCut }: TextLine): LogLine {
  const spans = ansiSpans(text)
  return { text: spans.map((span) => span.text).join(''), spans, isCut }
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
