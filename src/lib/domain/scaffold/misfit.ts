import type { FieldError } from '../../schema/field-error.ts'
import { parseJson } from '../../text/json.ts'
import { isPlainText } from '../../yaml/plain-text.ts'
import { isSameBut, scalarsOf } from '../../yaml/outline.ts'
import { readYaml, type YamlFile } from '../../yaml/read.ts'
import { placeholdersOf, type PlaceholderValue, substitute, type Values } from './placeholders.ts'

/** Files for people, in which no character can do harm. */
const PROSE = /\.(?:md|markdown|rst|adoc)$/i
const YAML = /(?:\.ya?ml|(?:^|\/)Kustomization)$/i
const JSON_FILE = /\.json$/i
/** Configuration of CI: it has commands in many of its values. */
const PIPELINE =
  /(?:^|\/)(?:\.|(?:action|appveyor|azure-pipelines|bitbucket-pipelines|buildspec|cloudbuild)[^/]*\.ya?ml$)/
/** Characters without a meaning within the quotes of any language; no option of a command begins like it. */
const CODE_TEXT = /^(?:[\p{L}\p{N}@./_][\p{L}\p{M}\p{N} .,_+=/:@-]*)?$/u
/** Characters among them that make several words of a text where nothing quotes it: `x --privileged`, `FOO=1 sh`. */
export const SEVERAL_WORDS = /[ =]/
/** The text between two tags of these files is quoted too. */
const MARKUP = /\.(?:x?html?|xml|svg|csproj)$/i
/** Marks among them that begin another value in YAML when nothing is around them. */
const YAML_MARKS = /,|:(?: |$)/
/** The file is read once for each of its texts to tell which of them does not fit. */
const READ_AGAIN_CHARS_MAX = 2 * 1024 * 1024
const FILE_NAME = /^[0-9A-Za-z_][0-9A-Za-z._-]*$/

/**
 * The texts of people that do not fit where a file has their placeholders:
 * - in YAML and JSON a text has to stay (a part of) the one scalar that its placeholder is in, and text;
 * - in code, which is every other file but prose, every block of lines in YAML and the configuration of CI, it has only characters that
 *   no language gives a meaning to, and a space or `=` only where each of its placeholders stands between quotes.
 * The description is as free in code as it was before there were parameters.
 */
export function misfitsOf(path: string, source: string, values: Values): readonly FieldError[] {
  if (PROSE.test(path)) return []
  const texts = textsOf(source, values)
  if (texts.length === 0) return []
  const marked = mark(source, values, texts)
  const file = readStructure(path, marked.text)
  const several = texts.filter(
    ({ kind, text }) => kind === 'parameter' && CODE_TEXT.test(text) && SEVERAL_WORDS.test(text),
  )
  const unquoted = several.length === 0 ? [] : [...unquotedMarks(path, file, marked)]
  const words = several.filter((text) => unquoted.some(({ index }) => texts[index] === text))
  if (file === undefined) {
    return [
      ...wordMisfits(path, words),
      ...codeMisfits(path, texts),
      ...unreadableMisfits(path, texts),
    ]
  }
  const inCode = PIPELINE.test(path) ? texts : blockTexts(file, marked, texts)
  return [
    ...scalarMisfits(path, file, marked, texts),
    ...wordMisfits(path, words),
    ...codeMisfits(path, inCode),
  ]
}

/** The parameters whose placeholders stand outside of quotes in the code of a file, each once per line. */
export function unquotedIn(
  path: string,
  source: string,
  values: Values,
): readonly { readonly name: string; readonly line: number }[] {
  const texts = textsOf(source, values).filter(({ kind }) => kind === 'parameter')
  if (PROSE.test(path) || texts.length === 0) return []
  const marked = mark(source, values, texts)
  const found = [...unquotedMarks(path, readStructure(path, marked.text), marked)]
  const places = found.map(({ index, line }) => ({ name: nameOf(texts[index]), line }))
  return [...new Map(places.map((place) => [`${place.name} ${place.line}`, place])).values()]
}

const nameOf = (text: Text | undefined): string => text?.name.replace(/^parameters\./, '') ?? ''

/** Texts of people that do not fit into the name of a file. */
export const nameMisfits = (source: string, values: Values): readonly FieldError[] =>
  faultsAt(
    textsOf(source, values).filter(
      ({ kind, text }) => kind === 'parameter' && !FILE_NAME.test(text),
    ),
    'file_name',
    'becomes a part of a file name: letters, digits, dots, dashes and underscores, such as orders-v2',
  )

interface Text extends Pick<PlaceholderValue, 'kind' | 'text'> {
  readonly name: string
}

const textsOf = (source: string, values: Values): readonly Text[] =>
  [...placeholdersOf(source)].flatMap((name) => {
    const value = values.get(name)
    return value === undefined || value.kind === 'plain' ? [] : [{ name, ...value }]
  })

const pointerOf = ({ name }: Pick<Text, 'name'>): string => `/${name.replace('.', '/')}`

const faultsAt = (
  texts: readonly Text[],
  rule: FieldError['rule'],
  message: string,
): readonly FieldError[] => texts.map((text) => ({ path: pointerOf(text), rule, message }))

const codeMisfits = (path: string, texts: readonly Text[]): readonly FieldError[] =>
  faultsAt(
    texts.filter(({ kind, text }) => kind === 'parameter' && !CODE_TEXT.test(text)),
    'code_text',
    `becomes a part of code in ${path}: letters, digits, spaces and . , _ + = / : @ -, such as @acme/payments`,
  )

const wordMisfits = (path: string, texts: readonly Text[]): readonly FieldError[] =>
  faultsAt(
    texts,
    'code_text',
    `would be several words of code in ${path}, where the template has no quotes around it: leave out spaces and =`,
  )

/** YAML that cannot be read, such as a chart of Helm: nobody knows whether the text is in quotes. */
const unreadableMisfits = (path: string, texts: readonly Text[]): readonly FieldError[] =>
  faultsAt(
    texts.filter(
      ({ kind, text }) => YAML.test(path) && kind === 'parameter' && YAML_MARKS.test(text),
    ),
    'one_value',
    `may become more than one value in ${path}: leave out commas, and colons before a space or at the end`,
  )

/** A file with a word in the place of each text, which no reader takes for anything but a word. */
interface Marked {
  readonly text: string
  /** Matches the words, and captures the indexes of their texts. */
  readonly marks: RegExp
  /** Puts texts into the place of their words, and leaves the words of others. */
  readonly place: (marked: string, texts: readonly Text[]) => string
}

function mark(source: string, values: Values, texts: readonly Text[]): Marked {
  const taken = new Set([...source.matchAll(/PorticoText(\d+)Q/g)].map(([, number]) => number))
  let free = 0
  while (taken.has(String(free))) free += 1
  const word = `PorticoText${free}Q`
  const names = texts.map(({ name }) => name)
  const marks = new RegExp(`${word}(\\d+)Q`, 'g')
  return {
    text: substitute(source, (name) => {
      const index = names.indexOf(name)
      return index < 0 ? values.get(name)?.text : `${word}${index}Q`
    }),
    marks,
    place: (marked, placed) =>
      marked.replaceAll(marks, (whole, index: string) => {
        const text = texts[Number(index)]
        return text !== undefined && placed.includes(text) ? text.text : whole
      }),
  }
}

/** `undefined` for a file that is neither YAML nor JSON before anything is put into it, such as a chart of Helm. */
function readStructure(path: string, text: string): YamlFile | undefined {
  if (!YAML.test(path) && !(JSON_FILE.test(path) && parseJson(text) !== undefined)) return undefined
  const reading = readYaml(text)
  return reading.ok ? reading.value : undefined
}

interface UnquotedMark {
  /** Position in the text, from 0. */
  readonly index: number
  readonly line: number
}

/** The marks outside of quotes in code: all lines of a file that is not YAML, the block scalars of YAML, and every scalar of a CI configuration. */
function* unquotedMarks(
  path: string,
  file: YamlFile | undefined,
  { text, marks }: Marked,
): Generator<UnquotedMark> {
  if (file === undefined) {
    yield* unquotedInLines(text, 1, marks, MARKUP.test(path))
    return
  }
  const isPipeline = PIPELINE.test(path)
  let line = 1
  let counted = 0
  for (const scalar of scalarsOf(file)) {
    if (scalar.start < 0 || !(scalar.isBlock || isPipeline) || scalar.text.search(marks) < 0)
      continue
    line += file.source.slice(counted, scalar.start).split('\n').length - 1
    counted = scalar.start
    const code = scalar.isBlock ? file.source.slice(scalar.start, scalar.end) : scalar.text
    yield* unquotedInLines(code, line, marks, false)
  }
}

function* unquotedInLines(
  code: string,
  first: number,
  marks: RegExp,
  isMarkup: boolean,
): Generator<UnquotedMark> {
  let open: Quote | undefined
  for (const [at, line] of code.split('\n').entries()) {
    const found = unquotedInLine(line.split(marks), isMarkup, open)
    for (const index of found.indexes) yield { index, line: first + at }
    // In markup a mark may be one of the text.
    if (!isMarkup) open = found.open
  }
}

/** `<` for the text between two tags. */
type Quote = '"' | "'" | '<'

/**
 * The indexes of the texts in a line that are not certainly within one pair of quotes. Quotes end on the line on which they begin. Those
 * with a command substitution, as in `"$(…)"`, do not count, and neither do any after an escaped quote or after one that was opened on
 * an earlier line.
 */
function unquotedInLine(
  parts: readonly string[],
  isMarkup: boolean,
  openBefore: Quote | undefined,
): { readonly indexes: readonly number[]; readonly open: Quote | undefined } {
  let quote = openBefore
  let isSure = openBefore === undefined
  let isApostrophe = false
  let hasCommand = false
  let tag = ''
  let before = ''
  let open: number[] = []
  const indexes: number[] = []
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 1) {
      if (quote !== undefined && isSure && !hasCommand) open.push(Number(part))
      else indexes.push(Number(part))
      before = ''
      continue
    }
    for (const character of part) {
      const isCommand = character === '`' || (before === '$' && character === '(')
      const isEscaped = before === '\\' && /["'\\]/.test(character)
      const isInWord = LETTER.test(before)
      before = character
      if (isEscaped) {
        isSure = false
      } else if (quote === undefined) {
        if (character === '"' || character === "'") quote = character
        else if (isMarkup && character === '>' && TEXT_TAG.test(tag)) quote = '<'
        else if (isMarkup)
          tag = character === '<' ? character : (tag + character).slice(0, TAG_CHARS)
        isApostrophe = character === "'" && isInWord
        hasCommand = false
      } else if (character === quote) {
        if (quote === '<') tag = character
        quote = undefined
        open = []
      } else if (quote !== '<' && isCommand) hasCommand = true
    }
  }
  const isOpen = quote !== '<' && !isApostrophe
  return { indexes: [...indexes, ...open], open: isOpen ? quote : undefined }
}

const LETTER = /\p{L}/u

/** As many as tell `<script>` from other tags: a file may be one tag. */
const TAG_CHARS = '<script>'.length
/** A tag of markup, from its `<` on, that may be followed by text. */
const TEXT_TAG = /^<(?!script\b|style\b)[/a-z]/i

const blockTexts = (file: YamlFile, { place }: Marked, texts: readonly Text[]): readonly Text[] => {
  const blocks = scalarsOf(file).filter(({ isBlock }) => isBlock)
  return texts.filter((text) => blocks.some((block) => place(block.text, [text]) !== block.text))
}

/** The texts that break the file by themselves; all of them when only together they do, or when it takes too long to tell. */
function scalarMisfits(
  path: string,
  file: YamlFile,
  { place }: Marked,
  texts: readonly Text[],
): readonly FieldError[] {
  const fits = (placed: readonly Text[]): boolean => {
    const rendered = readYaml(place(file.source, placed))
    return (
      rendered.ok &&
      isSameBut(file, rendered.value, (marked) => place(marked, placed)) &&
      staysText(file, place, placed)
    )
  }
  if (fits(texts)) return []
  const isSmall = file.source.length * texts.length <= READ_AGAIN_CHARS_MAX
  const alone = isSmall ? texts.filter((text) => !fits([text])) : []
  return faultsAt(
    alone.length > 0 ? alone : texts,
    'one_value',
    `would not be one text in ${path}: choose other words, without quotes, backslashes, colons and #, and more than a number or a word such as on`,
  )
}

/** Whether no text of a parameter is read as a number, a flag, a date or nothing, as `1.10`, `on` and `null` are without quotes. */
function staysText(file: YamlFile, place: Marked['place'], placed: readonly Text[]): boolean {
  const parameters = placed.filter(({ kind }) => kind === 'parameter')
  const scalars = scalarsOf(file)
    .filter(({ isPlain, text }) => isPlain && place(text, parameters) !== text)
    .map(({ text, isFlow }) => ({ text: place(text, placed), isFlow }))
  // A large file may have the same one very often.
  const once = new Map(scalars.map((scalar) => [`${scalar.isFlow} ${scalar.text}`, scalar]))
  return [...once.values()].every(isPlainText)
}
