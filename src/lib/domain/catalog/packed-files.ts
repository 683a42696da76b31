import type { ParsedFile } from './parse-file.ts'
import type { PackedFile } from './unpack-files.ts'

/** Parsed files for another thread or another process. Structured clones of as many would take twice as long. */
export interface PackedFiles {
  /** JSON. */
  readonly text: string
  /** What `text` speaks of, one behind the other. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

export function packFiles(files: readonly ParsedFile[]): PackedFiles {
  const parts: Uint8Array[] = []
  const keep = (part: Uint8Array): number => {
    parts.push(part)
    return part.length
  }
  const told: readonly PackedFile[] = files.map(({ findings, entities }) => ({
    findings: [...findings],
    entities: entities.map(({ card, line, json, text }) => ({
      card,
      line,
      nameEnd: text.nameEnd,
      titleEnd: text.titleEnd,
      jsonBytes: keep(json),
      textBytes: keep(text.bytes),
    })),
  }))
  return { text: JSON.stringify(told), bytes: concat(parts) }
}

/** One buffer, which can change hands. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let start = 0
  for (const part of parts) {
    all.set(part, start)
    start += part.length
  }
  return all
}
