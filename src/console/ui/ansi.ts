import { hueOf, paletteColour, type Rgb } from './ansi-colour.ts'
import { visible } from './visible.ts'

/** A part of a line with one look. */
export interface Span {
  readonly text: string
  /** Names of classes with spaces between them; empty for plain text. */
  readonly classes: string
}

/** More changes of the look are not followed: each costs the page an element. */
export const SPANS_MAX = 200

/** A control sequence (ECMA-48 §5.4). Its parts have no character in common, so that matching takes linear time. */
// oxlint-disable-next-line no-control-regex
const CONTROL_SEQUENCE = /\u001b\[([0-?]*)([ -/]*)([@-~])/g

interface Look {
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
  inverse: boolean
  foreground: string
  background: string
}

const plainLook = (): Look => ({
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  foreground: '',
  background: '',
})

/**
 * The spans of a line of a log. Colours and weights (SGR) become classes. Other control sequences carry no text, such as moves of
 * the cursor, and are dropped. Every other control character is shown, so titles and links of a terminal are text. Concealed text is
 * text too. A line begins with the plain look: a colour that somebody forgot to end ends with its line.
 */
export function ansiSpans(line: string): readonly Span[] {
  const spans: Span[] = []
  const look = plainLook()
  const add = (from: number, to: number) => {
    if (from === to) return
    const text = visible(line.slice(from, to))
    const classes = classesOf(look)
    const last = spans.at(-1)
    if (last !== undefined && (last.classes === classes || spans.length === SPANS_MAX)) {
      spans[spans.length - 1] = { text: last.text + text, classes: last.classes }
    } else spans.push({ text, classes })
  }
  let end = 0
  for (const sequence of line.matchAll(CONTROL_SEQUENCE)) {
    const [whole, parameters = '', intermediate, final] = sequence
    add(end, sequence.index)
    end = sequence.index + whole.length
    if (final === 'm' && intermediate === '') applyAll(look, parameters)
  }
  add(end, line.length)
  return spans
}

/** Text on a background has the ordinary colour: a program cannot know which two colours of ours can be read together. */
function classesOf({ bold, dim, italic, underline, inverse, foreground, background }: Look) {
  const ink = foreground === '' && dim ? 'grey' : foreground
  const ground = inverse ? ink || 'grey' : background
  const colour = ground === '' ? ink && `ansi-${ink}` : `ansi-on-${ground}`
  const others = [bold && 'ansi-bold', italic && 'ansi-italic', underline && 'ansi-underline']
  return [colour, ...others].filter(Boolean).join(' ')
}

/** Parts of a colour have colons between them (ITU-T T.416), or semicolons, as most programs write. */
function applyAll(look: Look, parameters: string): void {
  const codes = parameters.split(';').map((part) => part.split(':').map(Number))
  for (let index = 0; index < codes.length; index++) {
    const [code = 0, ...parts] = codes[index] ?? []
    if (code !== 38 && code !== 48) {
      apply(look, code, parts)
      continue
    }
    const following = codes.slice(index + 1, index + 5).map(([first = 0]) => first)
    const given = parts.length > 0 ? withoutColourSpace(parts) : following
    const [mode, ...values] = given
    const used = mode === 5 ? 2 : mode === 2 ? 4 : 0
    const hue = hueOf(mode === 5 ? paletteColour(values[0]) : rgbOf(values))
    look[code === 38 ? 'foreground' : 'background'] = hue
    if (parts.length === 0) index += used
  }
}

/** `2::R:G:B` names a colour space, mostly an empty one, before the three parts. */
const withoutColourSpace = (parts: readonly number[]): readonly number[] =>
  parts[0] === 2 && parts.length > 4 ? [2, ...parts.slice(2)] : parts

function rgbOf([red, green, blue]: readonly number[]): Rgb | undefined {
  return red === undefined || green === undefined || blue === undefined
    ? undefined
    : [red, green, blue]
}

function apply(look: Look, code: number, parts: readonly number[]): void {
  if (code === 0) Object.assign(look, plainLook())
  else if (code === 1) look.bold = true
  else if (code === 2) look.dim = true
  else if (code === 3) look.italic = true
  else if (code === 4) look.underline = parts[0] !== 0
  else if (code === 7) look.inverse = true
  else if (code === 21) look.underline = true
  else if (code === 22) {
    look.bold = false
    look.dim = false
  } else if (code === 23) look.italic = false
  else if (code === 24) look.underline = false
  else if (code === 27) look.inverse = false
  else if (code === 39) look.foreground = ''
  else if (code === 49) look.background = ''
  else {
    const [kind, colour] = sixteenOf(code)
    if (kind !== undefined) look[kind] = hueOf(paletteColour(colour))
  }
}

/** The codes of the sixteen colours: eight and their bright ones, of the text and behind it. */
function sixteenOf(code: number): readonly ['foreground' | 'background' | undefined, number] {
  if (code >= 30 && code <= 37) return ['foreground', code - 30]
  if (code >= 90 && code <= 97) return ['foreground', code - 90 + 8]
  if (code >= 40 && code <= 47) return ['background', code - 40]
  if (code >= 100 && code <= 107) return ['background', code - 100 + 8]
  return [undefined, 0]
}
