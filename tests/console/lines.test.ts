import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLineSplitter, LINE_CHARACTERS_MAX, readLines } from '#src/console/api/lines.ts'

const split = (parts: readonly string[]) => {
  const splitter = createLineSplitter()
  return [...parts.flatMap((part) => splitter.push(part)), ...splitter.end()]
}
const whole = (text: string) => ({ text, isCut: false })

test.each([
  [[], []],
  [[''], []],
  [['a\nb\n'], ['a', 'b']],
  [
    ['a', '', 'b\nc'],
    ['ab', 'c'],
  ],
  [
    ['a\r', '\nb\r\n\r\n'],
    ['a', 'b', ''],
  ],
  [['\n\n'], ['', '']],
  [['a\rb\n'], ['a\rb']],
])('the lines of %j', (parts, lines) => {
  expect(split(parts)).toStrictEqual(lines.map(whole))
})

test('a line that is too long is cut and says so', () => {
  const full = 'x'.repeat(LINE_CHARACTERS_MAX)
  expect(split([`${full}\r\n${full}y\nz`])).toStrictEqual([
    whole(full),
    { text: full, isCut: true },
    whole('z'),
  ])
})

test('a long line without an end costs no more than its limit', () => {
  const splitter = createLineSplitter()
  const part = 'x'.repeat(LINE_CHARACTERS_MAX)
  // Together longer than a string can be.
  for (let index = 0; index < 300_000; index++) splitter.push(part)
  expect(splitter.push('\n')).toStrictEqual([{ text: part, isCut: true }])
})

test('a cut leaves no half of a character', () => {
  const [line] = split([`${'x'.repeat(LINE_CHARACTERS_MAX - 1)}😀\n`])
  expect(line).toStrictEqual({ text: 'x'.repeat(LINE_CHARACTERS_MAX - 1), isCut: true })
})

describe('any text, in any parts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '😀'), maxLength: 40 })
  test('has the same lines', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (parts) => {
        const lines = parts.join('').split('\n')
        if (lines.at(-1) === '') lines.pop()
        expect(split(parts)).toStrictEqual(lines.map((line) => whole(line.replace(/\r$/, ''))))
      }),
    )
  })
})

describe('lines of a stream', () => {
  const bytes = new TextEncoder().encode('grün\r\n数\nend')

  test('characters may come in parts', async () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const batches = await Array.fromAsync(readLines(body))
    expect(batches.flat()).toStrictEqual(['grün', '数', 'end'].map(whole))
  })

  test('who stops reading ends the request', async () => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => controller.enqueue(bytes),
      cancel: () => {
        isCancelled = true
      },
    })
    for await (const lines of readLines(body)) {
      expect(lines[0]).toStrictEqual(whole('grün'))
      break
    }
    expect(isCancelled).toBe(true)
  })
})
