import { CORE_SCHEMA, NOT_RESOLVED } from 'js-yaml'
import { behind } from './yaml-events.ts'

export interface DocumentValue {
  readonly value: unknown
  /** Offset of its first character in the source; of what is empty, 0. */
  readonly start: number
}

/**
 * Reads YAML as most people write most of it: mappings and lists one line below the other, keys that are words, and values that
 * stand on one line or in a block of text. It says what js-yaml says (core schema), or nothing: `undefined` of whatever else YAML
 * has, and of every mistake. Linear in the size of the source. `docs/decisions/yaml.md`
 */
export function readSimpleYaml(source: string): readonly DocumentValue[] | undefined {
  if (!source.endsWith('\n') || NOT_PRINTABLE.test(source)) return undefined
  const documents: DocumentValue[] = []
  let at = 0
  for (const text of source.split(DIRECTIVES_END)) {
    const isBeforeMarker = text === '' && at === 0
    if (!isBeforeMarker) {
      const document = readDocument(text)
      if (document === undefined) return undefined
      documents.push({ value: document.value, start: at + document.start })
    }
    at += text.length + MARKER_LENGTH
  }
  return documents
}

/** All but YAML's printable characters, less those that may be more than text: tabs, CR, NEL, U+2028, U+2029, byte order marks. */
const NOT_PRINTABLE =
  /[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u
const DIRECTIVES_END = /^---\n/m
const MARKER_LENGTH = 4

const NOT_SIMPLE = Symbol('not simple')

/** Stands on a line with something on it, and goes from one to the next. */
interface Reader {
  readonly text: string
  /** How many spaces the line begins with; -1 behind the last line. */
  indent: number
  /** Of the line without these spaces. */
  start: number
  end: number
}

function readDocument(text: string): DocumentValue | undefined {
  const reader: Reader = { text, indent: -1, start: 0, end: 0 }
  goToContent(reader, 0)
  if (reader.indent !== 0) return undefined
  const { start } = reader
  const value = readCollection(reader)
  // A line that continues the one above it, or stands between two columns, is left over: no collection has read it.
  const hasMore = reader.indent >= 0
  return value === NOT_SIMPLE || hasMore ? undefined : { value, start }
}

/** To the first line that is neither empty nor a comment, of those that begin at `lineStart` or behind it. */
function goToContent(reader: Reader, lineStart: number): void {
  const { text } = reader
  for (let at = lineStart; at < text.length;) {
    const start = behindSpaces(text, at)
    const end = text.indexOf('\n', start)
    if (start !== end && text[start] !== '#') {
      reader.indent = start - at
      reader.start = start
      reader.end = end
      return
    }
    at = end + 1
  }
  reader.indent = -1
}

function behindSpaces(text: string, from: number): number {
  let at = from
  while (text[at] === ' ') at++
  return at
}

/** Keeps a document within the depth that js-yaml is asked for: it counts 45 levels at most in so many columns. */
const INDENT_MAX = 40

function readCollection(reader: Reader): unknown {
  if (reader.indent > INDENT_MAX) return NOT_SIMPLE
  return isItem(reader) ? readSequence(reader) : readMapping(reader)
}

const isItem = ({ text, start }: Reader): boolean => text[start] === '-' && text[start + 1] === ' '

function readMapping(reader: Reader): unknown {
  const { text, indent } = reader
  const mapping: Record<string, unknown> = {}
  while (reader.indent === indent) {
    const keyEnd = behind(KEY, text, reader.start)
    if (keyEnd < 0) return NOT_SIMPLE
    const key = text.slice(reader.start, keyEnd - 1)
    if (scalarOf(key) !== key || key === '__proto__' || Object.hasOwn(mapping, key))
      return NOT_SIMPLE
    const isBelow = keyEnd === reader.end
    const value = isBelow ? readBelow(reader, indent) : readValue(reader, keyEnd, indent)
    if (value === NOT_SIMPLE) return NOT_SIMPLE
    mapping[key] = value
  }
  return mapping
}

const KEY = /\w[\w./-]*:(?=[ \n])/y

/** What belongs to a key with nothing behind it. The items of a list may stand in the same column. */
function readBelow(reader: Reader, indent: number): unknown {
  goToContent(reader, reader.end + 1)
  const isThere = reader.indent > indent || (reader.indent === indent && isItem(reader))
  return isThere ? readCollection(reader) : null
}

function readSequence(reader: Reader): unknown {
  const { text, indent } = reader
  const items: unknown[] = []
  while (reader.indent === indent && isItem(reader)) {
    const start = behindSpaces(text, reader.start + 1)
    // A collection that begins behind the dash goes on below its first character.
    reader.indent += start - reader.start
    reader.start = start
    const isCollection = isItem(reader) || behind(KEY, text, start) >= 0
    const item = isCollection ? readCollection(reader) : readValue(reader, start, indent)
    if (item === NOT_SIMPLE) return NOT_SIMPLE
    items.push(item)
  }
  return items
}

/** The value that the rest of a line is or begins. It belongs to a key or a dash in the column `indent`. */
function readValue(reader: Reader, from: number, indent: number): unknown {
  const { text, end } = reader
  const written = text.slice(behindSpaces(text, from), end)
  if (written.startsWith('|') || written.startsWith('>')) return readBlock(reader, written, indent)
  goToContent(reader, end + 1)
  return valueOf(written)
}

function valueOf(written: string): unknown {
  const first = written[0]
  if (first === '"' || first === "'")
    return QUOTED.test(written) ? written.slice(1, -1) : NOT_SIMPLE
  if (first === '[') return flowSequenceOf(written)
  return isPlainScalar(written) ? scalarOf(written) : NOT_SIMPLE
}

const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/

function flowSequenceOf(written: string): unknown {
  const words = written.slice(1, -1).split(', ')
  return written.endsWith(']') && words.every((word) => WORD.test(word))
    ? words.map(scalarOf)
    : NOT_SIMPLE
}

const WORD = /^\w[\w./-]*$/

const isPlainScalar = (written: string): boolean =>
  !INDICATOR.test(written) &&
  !written.includes(': ') &&
  !written.includes(' #') &&
  !written.endsWith(':') &&
  !written.endsWith(' ')

/** YAML's indicators, with which no plain scalar begins, or nothing at all. `?` and `:` may begin one, and are left out with them. */
const INDICATOR = /^(?:[?:,[\]{}#&*!|>'"%@`]|-(?: |$)|$)/

/** Literal text (`|`), or a single folded paragraph (`>`); `-` strips the line break at its end. */
function readBlock(reader: Reader, header: string, indent: number): unknown {
  const { text } = reader
  const blockStart = reader.end + 1
  const margin = behindSpaces(text, blockStart) - blockStart
  if (!BLOCK_HEADER.test(header) || margin <= indent) return NOT_SIMPLE
  const isFolded = header.startsWith('>')
  const lines: string[] = []
  /** Without the empty lines at the end. */
  let lineCount = 0
  let at = blockStart
  while (at < text.length) {
    const start = behindSpaces(text, at)
    const end = text.indexOf('\n', start)
    const isOnlySpaces = at < start && start === end
    if (isOnlySpaces) return NOT_SIMPLE
    if (start < end) {
      if (start - at <= indent) break
      const isAligned = isFolded ? start - at === margin : start - at >= margin
      const isBehindGap = lineCount < lines.length
      if (!isAligned || (isFolded && isBehindGap)) return NOT_SIMPLE
      lineCount = lines.length + 1
    }
    lines.push(text.slice(at + margin, end))
    at = end + 1
  }
  goToContent(reader, at)
  const content = lines.slice(0, lineCount).join(isFolded ? ' ' : '\n')
  return header.endsWith('-') ? content : `${content}\n`
}

const BLOCK_HEADER = /^[|>]-?$/

function scalarOf(text: string): unknown {
  if (!MAY_RESOLVE.test(text)) return text
  for (const { resolve, tagName } of implicitTags) {
    const value: unknown = resolve(text, false, tagName)
    if (value !== NOT_RESOLVED) return value
  }
  return text
}

/** Begins like a null, a boolean or a number of the core schema. Nearly all text does not, and needs no tag to look at it. */
const MAY_RESOLVE = /^(?:[-+.~\d]|(?:null|true|false)$)/i

const implicitTags = CORE_SCHEMA.tags
  .filter((tag) => tag.nodeKind === 'scalar')
  .filter(({ implicit }) => implicit)
