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

const CHANGES: Readonly<Record<number, Partial<Look>>> = {
  0: plainLook(),
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  7: { inverse: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { foreground: '' },
  49: { background: '' },
}

function apply(look: Look, code: number, parts: readonly number[]): void {
  const change = code === 4 ? { underline: parts[0] !== 0 } : CHANGES[code]
  const [kind, colour] = sixteenOf(code)
  if (change !== undefined) Object.assign(look, change)
  else if (kind !== undefined) look[kind] = hueOf(paletteColour(colour))
}

/** The codes of the sixteen colours: eight and their bright ones, of the text and behind it. */
function sixteenOf(code: number): readonly ['foreground' | 'background' | undefined, number] {
  if (code >= 30 && code <= 37) return ['foreground', code - 30]
  if (code >= 90 && code <= 97) return ['foreground', code - 90 + 8]
  if (code >= 40 && code <= 47) return ['background', code - 40]
  if (code >= 100 && code <= 107) return ['background', code - 100 + 8]
  return [undefined, 0]
}

type Rgb = readonly [red: number, green: number, blue: number]

/** xterm's first sixteen colours, with a pure blue. */
const SIXTEEN: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
]

/** Levels of the cube of 216 colours. */
const LEVELS = [0, 95, 135, 175, 215, 255]
const CUBE_START = 16
const GREYS_START = 232
const COLOURS = 256

/** A colour of xterm's palette of 256. */
function paletteColour(index: number | undefined): Rgb | undefined {
  if (index === undefined || !(index >= 0 && index < COLOURS)) return undefined
  if (index < CUBE_START) return SIXTEEN[index]
  if (index >= GREYS_START) {
    const grey = 8 + 10 * (index - GREYS_START)
    return [grey, grey, grey]
  }
  const place = index - CUBE_START
  const level = (step: number) => LEVELS[step % LEVELS.length] ?? 0
  return [level(Math.floor(place / 36)), level(Math.floor(place / 6)), level(place)]
}

/** Ends of the hues on the colour wheel, in degrees. */
const HUES = [
  [20, 'red'],
  [70, 'yellow'],
  [160, 'green'],
  [200, 'cyan'],
  [265, 'blue'],
  [335, 'magenta'],
  [360, 'red'],
] as const

/** Chroma below this is no colour to the eye. */
const GREY_CHROMA_MAX = 40
/** Darker and brighter greys are meant as the ordinary colour of text, on a ground of either scheme. */
const GREY_LEAST = 70
const GREY_MOST = 190

type Hue = (typeof HUES)[number][1] | 'grey' | ''

/** The name of the nearest colour that can be read in both schemes; empty for the ordinary colour of text. */
function hueOf(colour: Rgb | undefined): Hue {
  if (colour === undefined) return ''
  const [red, green, blue] = colour
  const most = Math.max(red, green, blue)
  const chroma = most - Math.min(red, green, blue)
  if (!(chroma >= GREY_CHROMA_MAX)) return most >= GREY_LEAST && most <= GREY_MOST ? 'grey' : ''
  const degrees = 60 * sextantOf(colour, most, chroma)
  return HUES.find(([end]) => degrees <= end)?.[1] ?? ''
}

/** Place on the colour wheel in sixths, from 0 to 6. */
function sextantOf([red, green, blue]: Rgb, most: number, chroma: number): number {
  if (most === red) return ((green - blue) / chroma + 6) % 6
  return most === green ? (blue - red) / chroma + 2 : (red - green) / chroma + 4
}
