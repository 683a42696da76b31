import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseJson } from '../../json.ts'
import { lazily } from '../../lazily.ts'
import { Nullable } from '../../nullable.ts'
import type { ParsedEntity, ParsedFile } from './parse-file.ts'
import { problemCodes } from './problem.ts'

/** Parsed files for another thread or another process. Structured clones of as many would take twice as long. */
export interface PackedFiles {
  /** JSON. */
  readonly text: string
  /** What `text` speaks of, one behind the other. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

const Text = Nullable(Type.String())
const Place = Nullable(Type.Integer())
const Entity = Type.Object({
  card: Type.Object({
    kind: Type.String(),
    name: Type.String(),
    type: Text,
    lifecycle: Text,
    owner: Text,
    system: Text,
  }),
  line: Type.Integer(),
  nameEnd: Type.Integer(),
  titleEnd: Type.Integer(),
  jsonBytes: Type.Integer({ minimum: 0 }),
  textBytes: Type.Integer({ minimum: 0 }),
})
const Finding = Type.Object({
  severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
  code: Type.Enum([...problemCodes]),
  line: Place,
  column: Place,
  ref: Text,
  message: Type.String(),
})
const Files = Type.Array(
  Type.Object({ findings: Type.Array(Finding), entities: Type.Array(Entity) }),
)
const filesSchema = lazily(() => Compile(Files))

export function packFiles(files: readonly ParsedFile[]): PackedFiles {
  const parts: Uint8Array[] = []
  const keep = (part: Uint8Array): number => {
    parts.push(part)
    return part.length
  }
  const told: Static<typeof Files> = files.map(({ findings, entities }) => ({
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

/** `undefined`: it is nothing that was packed here. */
export function unpackFiles(text: string, bytes: Uint8Array): readonly ParsedFile[] | undefined {
  const told = parseJson(text)
  if (!filesSchema().Check(told)) return undefined
  let at = 0
  const take = (length: number): Uint8Array => bytes.subarray(at, (at += length))
  const files = told.map(({ findings, entities }) => ({
    findings,
    entities: entities.map((entity) => entityOf(entity, take)),
  }))
  return at === bytes.length ? files : undefined
}

const entityOf = (
  { card, line, nameEnd, titleEnd, jsonBytes, textBytes }: Static<typeof Entity>,
  take: (length: number) => Uint8Array,
): ParsedEntity => ({
  card,
  line,
  json: take(jsonBytes),
  text: { bytes: take(textBytes), nameEnd, titleEnd },
})

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
