/** Characters of a line that are kept. The rest of a longer one is dropped, and the line says so. */
export const LINE_CHARACTERS_MAX = 8_192

export interface TextLine {
  readonly text: string
  /** The line was longer. */
  readonly isCut: boolean
}

export interface LineSplitter {
  /** The lines that this part of a text completes. */
  push(part: string): readonly TextLine[]
  /** The last line, if it has no line break. */
  end(): readonly TextLine[]
}

/** Lines of a text that comes in parts. Keeps at most one line of `LINE_CHARACTERS_MAX`. A line ends with LF or CRLF. */
export function createLineSplitter(): LineSplitter {
  let begun = ''
  const add = (part: string) => {
    // One more than is kept tells a long line from a full one; another one is the CR before an LF.
    begun += part.slice(0, LINE_CHARACTERS_MAX + 2 - begun.length)
  }
  const take = (): TextLine => {
    const line = lineOf(begun)
    begun = ''
    return line
  }
  return {
    push(part) {
      const lines: TextLine[] = []
      let start = 0
      for (let end = part.indexOf('\n'); end !== -1; end = part.indexOf('\n', start)) {
        add(part.slice(start, end))
        lines.push(take())
        start = end + 1
      }
      add(part.slice(start))
      return lines
    },
    end: () => (begun === '' ? [] : [take()]),
  }
}

/** Does not end with half a character. */
function lineOf(raw: string): TextLine {
  const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  if (text.length <= LINE_CHARACTERS_MAX) return { text, isCut: false }
  return { text: text.slice(0, LINE_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, ''), isCut: true }
}

/** The lines of an answer, in batches as they arrive; invalid UTF-8 becomes U+FFFD. Stops when the signal of its request does. */
export async function* readLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<readonly TextLine[]> {
  const splitter = createLineSplitter()
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const part = await reader.read()
      const lines = part.done ? splitter.end() : splitter.push(part.value)
      if (lines.length > 0) yield lines
      if (part.done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
