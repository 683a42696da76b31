import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ansiSpans, SPANS_MAX } from '#src/console/ui/ansi.ts'
import { visible } from '#src/console/ui/visible.ts'

/** `text(classes)` of each span. */
const shown = (line: string) => ansiSpans(line).map(({ text, classes }) => `${text}(${classes})`)
const textOf = (line: string) =>
  ansiSpans(line)
    .map(({ text }) => text)
    .join('')

describe('colours and weights become classes', () => {
  test.each([
    ['plain', ['plain()']],
    ['', []],
    ['\u001b[31mred\u001b[0m rest', ['red(ansi-red)', ' rest()']],
    ['\u001b[31mred\u001b[m rest', ['red(ansi-red)', ' rest()']],
    ['\u001b[1;33mWARN\u001b[22m low', ['WARN(ansi-yellow ansi-bold)', ' low(ansi-yellow)']],
    ['\u001b[92mok\u001b[39m.', ['ok(ansi-green)', '.()']],
    ['\u001b[2mquiet', ['quiet(ansi-grey)']],
    ['\u001b[2;36mquiet', ['quiet(ansi-cyan)']],
    ['\u001b[90mgrey', ['grey(ansi-grey)']],
    ['\u001b[30mblack \u001b[97mwhite', ['black white()']],
    [
      '\u001b[4mline\u001b[24m \u001b[3mitalic',
      ['line(ansi-underline)', ' ()', 'italic(ansi-italic)'],
    ],
    ['\u001b[4:3mwave\u001b[4:0m.', ['wave(ansi-underline)', '.()']],
    ['\u001b[41;37mFAIL\u001b[49m.', ['FAIL(ansi-on-red)', '.()']],
    ['\u001b[7;32mPASS\u001b[27m.', ['PASS(ansi-on-green)', '.(ansi-green)']],
    ['\u001b[7mbar', ['bar(ansi-on-grey)']],
    ['\u001b[8mconcealed', ['concealed()']],
    ['\u001b[38;5;196mred', ['red(ansi-red)']],
    ['\u001b[38;5;244mgrey', ['grey(ansi-grey)']],
    ['\u001b[38;5;999mnone', ['none()']],
    ['\u001b[38;2;30;144;255mblue', ['blue(ansi-blue)']],
    ['\u001b[38:2::218:112:214mpink', ['pink(ansi-magenta)']],
    ['\u001b[38:5:46;1mgreen', ['green(ansi-green ansi-bold)']],
    ['\u001b[48;5;21;1mon blue', ['on blue(ansi-on-blue ansi-bold)']],
    ['\u001b[38;5mshort', ['short()']],
    ['\u001b[38mshort', ['short()']],
    ['\u001b[31ma\u001b[31mb', ['ab(ansi-red)']],
    ['\u001b[31 mno colour', ['no colour()']],
  ])('%j', (line, spans) => {
    expect(shown(line)).toStrictEqual(spans)
  })
})

describe('nothing else has an effect', () => {
  test.each([
    ['\u001b[2Jcleared\u001b[H\u001b[10;20Hmoved\u001b[?25l\u001b[2K', 'clearedmoved'],
    ['\u001b[1 qcursor', 'cursor'],
    [
      '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
      '␛]8;;https://evil.example␛\\click␛]8;;␛\\',
    ],
    ['\u001b]0;title\u0007bell', '␛]0;title␇bell'],
    ['a\rb', 'a␍b'],
    ['a\bb\u0000', 'a␈b␀'],
    ['\u001b[31', '␛[31'],
    ['\u009b31mC1', '<U+009B>31mC1'],
    ['\u007f', '␡'],
    ['user\u202etxt.exe', 'user<U+202E>txt.exe'],
    ['\u2066\u200f\ufeff\u200b\u2028', '<U+2066><U+200F><U+FEFF><U+200B><U+2028>'],
    ['\u{e0041}', '<U+E0041>'],
    ['tab\tstays', 'tab\tstays'],
    ['👩‍💻 naïve 数', '👩‍💻 naïve 数'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('%j', (line, text) => {
    expect(textOf(line)).toBe(text)
  })

  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '\u001b',
      '\u001b[',
      '31',
      ';',
      ':',
      'm',
      '38;5;',
      '\u001b[1;31m',
      '\u001b]8;;',
    ),
  )

  test('no control character is left, and no text is lost', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const line = pieces.join('')
        const text = textOf(line)
        expect(text).toBe(visible(text))
        // oxlint-disable-next-line no-control-regex
        expect(text).toBe(visible(line.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')))
      }),
    )
  })

  test('only classes of this file', () => {
    const known =
      /^(?:ansi-(?:on-)?(?:red|yellow|green|cyan|blue|magenta|grey))?(?: ?ansi-(?:bold|italic|underline))*$/
    const code = fc.integer({ min: 0, max: 300 })
    fc.assert(
      fc.property(fc.array(fc.array(code, { maxLength: 6 }), { maxLength: 8 }), (sequences) => {
        const line = sequences.map((codes) => `\u001b[${codes.join(';')}mx`).join('')
        for (const { classes } of ansiSpans(line)) expect(classes).toMatch(known)
      }),
    )
  })
})

describe('hostile lines are bounded', () => {
  test('a line has at most so many spans, and all of its text', () => {
    const line = Array.from({ length: 1_000 }, (_, index) => `\u001b[3${index % 2}mx`).join('')
    expect(ansiSpans(line)).toHaveLength(SPANS_MAX)
    expect(textOf(line)).toBe('x'.repeat(1_000))
  })

  test.each([
    ['sequences that never end', '\u001b[1'.repeat(200_000)],
    ['one sequence that never ends', `\u001b[${'1;'.repeat(300_000)}`],
    ['intermediate characters', `\u001b[${' '.repeat(600_000)}`],
    ['many parameters', `\u001b[${'38;5;1;'.repeat(60_000)}m`],
  ])('%s', (_, line) => {
    // Quadratic time would be minutes, beyond the deadline of the test.
    expect(ansiSpans(line).length).toBeLessThanOrEqual(1)
  })
})
