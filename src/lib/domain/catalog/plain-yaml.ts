import { CORE_SCHEMA, NOT_RESOLVED } from 'js-yaml'
import { behind } from './yaml-events.ts'

export interface PlainDocument {
  readonly value: unknown
  /** Offset of its first character in the source. */
  readonly start: number
}

/**
 * Reads YAML as most people write most of it: mappings and lists one line below the other, keys that are words, and values that
 * stand on one line or in a block of text. It says what js-yaml says (core schema), or nothing: `undefined` of whatever else YAML
 * has, and of every mistake. Linear in the size of the source. `docs/decisions/yaml.md`
 */
export function readPlainYaml(source: string): readonly PlainDocument[] | undefined {
  if (!source.endsWith('\n') || STRANGE.test(source)) return undefined
  const documents: PlainDocument[] = []
  let at = 0
  for (const text of source.split(DOCUMENT_MARKER)) {
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

/** What is no character, and separators of lines and paragraphs: what YAML does not allow, or may take for more than text. And tabs. */
const STRANGE = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u
const DOCUMENT_MARKER = /^---\n/m
const MARKER_LENGTH = 4

/** Nesting takes a column a level, and one level more: js-yaml, which is asked for 64 of them, finds no such document too deep. */
const INDENT_MAX = 40

const NOT_PLAIN = Symbol('not plain')

/** Stands on a line with something on it, and goes from one to the next. */
interface Reader {
  readonly text: string
  /** How many spaces the line begins with; -1 behind the last line. */
  indent: number
  /** Of the line without these spaces. */
  start: number
  end: number
}

function readDocument(text: string): PlainDocument | undefined {
  const reader: Reader = { text, indent: -1, start: 0, end: 0 }
  goTo(reader, 0)
  if (reader.indent !== 0) return undefined
  const { start } = reader
  const value = readCollection(reader)
  // A line that goes on what stands above it, or stands between two columns, is one that no collection has read.
  const hasMore = reader.indent >= 0
  return value === NOT_PLAIN || hasMore ? undefined : { value, start }
}

/** To the first line that is neither empty nor a comment, of those that begin at `lineStart` or behind it. */
function goTo(reader: Reader, lineStart: number): void {
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

function readCollection(reader: Reader): unknown {
  if (reader.indent > INDENT_MAX) return NOT_PLAIN
  return isItem(reader) ? readSequence(reader) : readMapping(reader)
}

const isItem = ({ text, start }: Reader): boolean => text[start] === '-' && text[start + 1] === ' '

function readMapping(reader: Reader): unknown {
  const { text, indent } = reader
  const mapping: Record<string, unknown> = {}
  while (reader.indent === indent) {
    const keyEnd = behind(KEY, text, reader.start)
    if (keyEnd < 0) return NOT_PLAIN
    const key = text.slice(reader.start, keyEnd - 1)
    if (MAY_BE_NO_TEXT.test(key) || key === '__proto__' || Object.hasOwn(mapping, key))
      return NOT_PLAIN
    const isBelow = keyEnd === reader.end
    const value = isBelow ? readBelow(reader, indent) : readValue(reader, keyEnd, indent)
    if (value === NOT_PLAIN) return NOT_PLAIN
    mapping[key] = value
  }
  return mapping
}

const KEY = /[A-Za-z_][\w./-]*:(?=[ \n])/y

/** What belongs to a key with nothing behind it. The items of a list may stand in the same column. */
function readBelow(reader: Reader, indent: number): unknown {
  goTo(reader, reader.end + 1)
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
    if (item === NOT_PLAIN) return NOT_PLAIN
    items.push(item)
  }
  return items
}

/** The value that the rest of a line is or begins. It belongs to a key or a dash in the column `indent`. */
function readValue(reader: Reader, from: number, indent: number): unknown {
  const { text, end } = reader
  const written = text.slice(behindSpaces(text, from), end)
  if (written.startsWith('|') || written.startsWith('>')) return readBlock(reader, written, indent)
  goTo(reader, end + 1)
  return valueOf(written)
}

function valueOf(written: string): unknown {
  const first = written[0]
  if (first === '"' || first === "'") return QUOTED.test(written) ? written.slice(1, -1) : NOT_PLAIN
  if (first !== '[') return isPlainScalar(written) ? scalarOf(written) : NOT_PLAIN
  return LIST_OF_WORDS.test(written) ? written.slice(1, -1).split(', ').map(scalarOf) : NOT_PLAIN
}

const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/
const LIST_OF_WORDS = /^\[\w[\w./-]*(?:, \w[\w./-]*)*\]$/

const isPlainScalar = (written: string): boolean =>
  !INDICATOR.test(written) &&
  !written.includes(': ') &&
  !written.includes(' #') &&
  !written.endsWith(':') &&
  !written.endsWith(' ')

/** What begins something else than plain text, or nothing at all. */
const INDICATOR = /^(?:[?:,[\]{}#&*!|>'"%@`]|-(?: |$)|$)/

/** Literal text (`|`), or a single folded paragraph (`>`); `-` leaves out the line end behind it. */
function readBlock(reader: Reader, header: string, indent: number): unknown {
  if (!BLOCK_HEADER.test(header)) return NOT_PLAIN
  const { text } = reader
  const blockStart = reader.end + 1
  let at = blockStart
  while (at < text.length) {
    const start = behindSpaces(text, at)
    const end = text.indexOf('\n', start)
    if (start < end && start - at <= indent) break
    at = end + 1
  }
  goTo(reader, at)
  return blockOf(text.slice(blockStart, at), header)
}

const BLOCK_HEADER = /^[|>]-?$/

/** `written`: whole lines, deeper than what they belong to or empty. */
function blockOf(written: string, header: string): unknown {
  const isFolded = header.startsWith('>')
  const margin = behindSpaces(written, 0)
  if (margin === 0) return NOT_PLAIN
  const lines = withoutLineEndsBehind(written).split('\n')
  for (const line of lines) {
    const indent = behindSpaces(line, 0)
    const isInLine = isFolded ? indent === margin : indent >= margin || line === ''
    const isOnlySpaces = indent === line.length && indent > 0
    if (!isInLine || isOnlySpaces) return NOT_PLAIN
  }
  const texts = lines.map((line) => line.slice(margin))
  return texts.join(isFolded ? ' ' : '\n') + (header.endsWith('-') ? '' : '\n')
}

function withoutLineEndsBehind(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}

function scalarOf(text: string): unknown {
  if (!MAY_BE_NO_TEXT.test(text)) return text
  for (const { resolve, tagName } of implicitTags) {
    const value: unknown = resolve(text, false, tagName)
    if (value !== NOT_RESOLVED) return value
  }
  return text
}

/** A few more than the schema has. */
const MAY_BE_NO_TEXT = /^(?:[-+.~\d]|(?:null|true|false)$)/i

const implicitTags = CORE_SCHEMA.tags
  .filter((tag) => tag.nodeKind === 'scalar')
  .filter(({ implicit }) => implicit)
