export type Rgb = readonly [red: number, green: number, blue: number]

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
export function paletteColour(index: number | undefined): Rgb | undefined {
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

export type Hue = (typeof HUES)[number][1] | 'grey' | ''

/** The name of the nearest colour that can be read in both schemes; empty for the ordinary colour of text. */
export function hueOf(colour: Rgb | undefined): Hue {
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
