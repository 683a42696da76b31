import type { Span } from './ansi.ts'
import { visible } from './visible.ts'

const TIMES = ['time', 'timestamp', '@timestamp', 'ts'] as const
const LEVELS = ['level', 'severity', 'lvl'] as const
const MESSAGES = ['msg', 'message', 'event'] as const
const ERRORS = ['err', 'error', 'exception'] as const

/** Levels of pino and bunyan. */
const NUMBERS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/^(?:ERROR|FATAL|PANIC|CRITICAL|SEVERE|EMERGENCY|ALERT)$/, 'ansi-red ansi-bold'],
  [/^WARN/, 'ansi-yellow ansi-bold'],
]

type Fields = Readonly<Record<string, unknown>>

/** A line of a JSON logger as time, level, message and fields; `undefined` for any other line. */
export function jsonLine(text: string): readonly Span[] | undefined {
  const fields = fieldsOf(text)
  if (fields === undefined) return undefined
  const rest = { ...fields }
  const take = (names: readonly string[]): unknown => {
    const name = names.find((each) => Object.hasOwn(rest, each))
    const value = name === undefined ? undefined : rest[name]
    if (name !== undefined) delete rest[name]
    return value
  }
  const time = timeWords(take(TIMES))
  const level = levelWords(take(LEVELS))
  const message = take(MESSAGES)
  if (typeof message !== 'string') return undefined
  const stack = take(['stack']) ?? stackOf(take(ERRORS), rest)
  const others = Object.entries(rest).map(([name, value]) => `${name}=${valueWords(value)}`)
  const spans = [
    { text: time, classes: 'ansi-grey' },
    { text: level, classes: CLASSES.find(([pattern]) => pattern.test(level))?.[1] ?? 'ansi-cyan' },
    { text: visible(message), classes: '' },
    { text: visible(others.join(' ')), classes: 'ansi-grey' },
  ].filter((span) => span.text !== '')
  const spaced = spans.flatMap((span, index) =>
    index === 0 ? [span] : [{ text: ' ', classes: '' }, span],
  )
  if (typeof stack !== 'string') return spaced
  const lines = stack.split(/\r?\n/).map(visible).join('\n')
  return [...spaced, { text: `\n${lines}`, classes: '' }]
}

function fieldsOf(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return isFields(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The stack of an error, whose other members stay fields. */
function stackOf(error: unknown, rest: Record<string, unknown>): unknown {
  if (error === undefined) return undefined
  if (!isFields(error) || typeof error['stack'] !== 'string') {
    rest['error'] = error
    return undefined
  }
  const { stack, ...members } = error
  if (Object.keys(members).length > 0) rest['error'] = members
  return stack
}

/** Seconds are of this century until the year 5138. */
const SECONDS_MAX = 1e11

function timeWords(time: unknown): string {
  if (typeof time === 'string') return visible(time)
  if (typeof time !== 'number') return ''
  const date = new Date(time < SECONDS_MAX ? time * 1_000 : time)
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString()
}

const levelWords = (level: unknown): string =>
  typeof level === 'number'
    ? (NUMBERS[level] ?? String(level))
    : typeof level === 'string'
      ? visible(level.toUpperCase())
      : ''

const valueWords = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
