import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseJson } from '../../text/json.ts'
import { lazily } from '../../concurrency/lazily.ts'
import { Nullable } from '../../schema/nullable.ts'
import type { ParsedEntity, ParsedFile } from './parse-file.ts'
import { problemCodes } from './problem.ts'

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
const File = Type.Object({ findings: Type.Array(Finding), entities: Type.Array(Entity) })
const files = lazily(() => Compile(Type.Array(File)))

/** What is said of a file beside the bytes of its entities. */
export type PackedFile = Static<typeof File>

/** `undefined`: it is nothing that was packed here. */
export function unpackFiles(
  text: string,
  bytes: Uint8Array<ArrayBuffer>,
): readonly ParsedFile[] | undefined {
  const told = parseJson(text)
  if (!files().Check(told)) return undefined
  let at = 0
  const take = (length: number): Uint8Array<ArrayBuffer> => bytes.subarray(at, (at += length))
  const unpacked = told.map(({ findings, entities }) => ({
    findings,
    entities: entities.map((entity) => entityOf(entity, take)),
  }))
  return at === bytes.length ? unpacked : undefined
}

const entityOf = (
  { card, line, nameEnd, titleEnd, jsonBytes, textBytes }: Static<typeof Entity>,
  take: (length: number) => Uint8Array<ArrayBuffer>,
): ParsedEntity => ({
  card,
  line,
  json: take(jsonBytes),
  text: { bytes: take(textBytes), nameEnd, titleEnd },
})
