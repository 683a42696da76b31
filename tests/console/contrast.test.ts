import { describe, expect, test } from 'bun:test'

/** Least contrast of text (WCAG 2.2, 1.4.3), and of what is no text but has to be seen (1.4.11). */
const TEXT = 4.5
const SHAPE = 3

const SCHEMES = ['light', 'dark'] as const
const TOKEN = /--([\w-]+):\s*(?:light-dark\((#[\da-f]{6}),\s*(#[\da-f]{6})\)|(#[\da-f]{6}));/g

const css = await Bun.file('src/console/styles/tokens.css').text()
const tokens = new Map(
  Array.from(css.matchAll(TOKEN), ([, name = '', light, dark, both]) => [
    name,
    { light: light ?? both ?? '', dark: dark ?? both ?? '' },
  ]),
)

const TONES = ['ok', 'warn', 'bad', 'info', 'idle', 'accent'] as const
/** Hues of logs, and the tokens that they have. */
const HUES = ['bad', 'warn', 'ok', 'cyan', 'info', 'accent'] as const

const pairs: readonly (readonly [string, string, number])[] = [
  ...['bg', 'surface', 'sunken', 'hover', 'accent-soft', 'idle-soft', 'add', 'del'].map(
    (ground) => ['text', ground, TEXT] as const,
  ),
  ...['bg', 'surface', 'sunken', 'hover', 'idle-soft', 'accent-soft', 'add', 'del'].map(
    (ground) => ['muted', ground, TEXT] as const,
  ),
  ...TONES.flatMap((tone) =>
    ['bg', 'surface', 'hover', `${tone}-soft`].map((ground) => [tone, ground, TEXT] as const),
  ),
  ...TONES.flatMap((tone) => [
    ['text', `${tone}-soft`, TEXT] as const,
    ['muted', `${tone}-soft`, TEXT] as const,
  ]),
  ...['accent-fill', 'accent-fill-hover'].map((ground) => ['on-accent', ground, TEXT] as const),
  ...['bg', 'surface'].flatMap((ground) => [
    ['line-strong', ground, SHAPE] as const,
    ['accent', ground, SHAPE] as const,
  ]),
  // A log: hues on its ground and behind its text, and marked text.
  ...HUES.flatMap((hue) => [
    [hue, 'sunken', TEXT] as const,
    ['text', `${hue}-soft`, TEXT] as const,
  ]),
  ['text', 'mark', TEXT],
]

describe.each(SCHEMES)('the %s scheme', (scheme) => {
  test.each(pairs)('%s on %s has at least %d', (ink, ground, least) => {
    const [one, other] = [tokens.get(ink)?.[scheme], tokens.get(ground)?.[scheme]]
    expect([one, other]).not.toContain(undefined)
    expect(contrast(one ?? '', other ?? '')).toBeGreaterThanOrEqual(least)
  })
})

test('every colour that a style names is a token', async () => {
  const named = new Set<string>()
  for await (const path of new Bun.Glob('src/console/styles/**/*.css').scan()) {
    const style = (await Bun.file(path).text()).replaceAll(/\/\*[\s\S]*?\*\//g, '')
    for (const [, name = ''] of style.matchAll(/var\(--([\w-]+)/g)) named.add(name)
  }
  const defined = new Set(Array.from(css.matchAll(/--([\w-]+):/g), ([, name]) => name))
  const own = new Set(['tone', 'tone-soft', 'environments'])
  expect([...named].filter((name) => !defined.has(name) && !own.has(name))).toStrictEqual([])
})

test('the contrast of two colours is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

/** Contrast ratio (WCAG 2.2, definition of `contrast ratio`). */
function contrast(one: string, other: string): number {
  const [darker = 0, brighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (brighter + 0.05) / (darker + 0.05)
}

/** Relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
