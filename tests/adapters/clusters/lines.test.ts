import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LineTooLong, linesOf } from '#src/lib/adapters/clusters/kubernetes/lines.ts'

const MEGABYTE = 1024 * 1024

async function linesIn(chunks: readonly Uint8Array[]): Promise<string[]> {
  const lines: string[] = []
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const line of linesOf(body)) lines.push(line)
  return lines
}

test('the lines of a text, however it is cut', async () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/\s/g, ''))
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      expect(await linesIn(chunks)).toStrictEqual(lines.filter((text) => text !== ''))
    }),
  )
})

test('a line that comes byte by byte is still one', async () => {
  const bytes = Buffer.from(`${'é'.repeat(5_000)}\n`)
  const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte))
  expect(await linesIn(chunks)).toStrictEqual(['é'.repeat(5_000)])
})

test('a line may have four megabytes, and no more', async () => {
  const part = Buffer.alloc(MEGABYTE, 'a')
  expect(await linesIn([part, part, part, part, Buffer.from('\n')])).toHaveLength(1)
  const tooLong = linesIn([part, part, part, part, Buffer.from('a')])
  expect(await tooLong.catch((error: unknown) => error)).toBeInstanceOf(LineTooLong)
})

test('lines that came in parts may have more together', async () => {
  const part = Buffer.alloc(1.5 * MEGABYTE, 'a')
  const line = [part, part, Buffer.from('\n')]
  expect(await linesIn([...line, ...line, ...line])).toHaveLength(3)
})

test('what is no end of a line is none', async () => {
  expect(await linesIn([Buffer.from('a\r\n\r\n \n\nb')])).toStrictEqual(['a'])
})
