import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseJson } from '../../json.ts'
import { lazily } from '../../lazily.ts'
import { ObjectId } from '../../names.ts'
import { Nullable } from '../../nullable.ts'
import type { KeptBytes, NotKept } from '../../ports/kept-bytes.ts'
import { createTimeSlice } from '../../time-slice.ts'
import type { ParsedEntity, ParsedFile } from './parse-file.ts'
import { problemCodes } from './problem.ts'
import type { SnapshotFile } from './snapshot.ts'

/** What files were parsed to, by their content: a blob never says anything else. */
export interface KeptFiles {
  /** Of an earlier process of the same build. */
  recall(): Promise<ReadonlyMap<ObjectId, ParsedFile>>
  /** Soon, and not for every change. */
  remember(files: Iterable<SnapshotFile>): void
}

export interface KeptFilesOptions {
  readonly kept: KeptBytes
  readonly onNotKept: (failure: NotKept) => void
  readonly afterMs?: number
}

/** A push seldom comes alone. */
const AFTER_MS = 5_000

export function createKeptFiles({
  kept,
  onNotKept,
  afterMs = AFTER_MS,
}: KeptFilesOptions): KeptFiles {
  let files: Iterable<SnapshotFile> = []
  let timer: Timer | undefined
  let saving: Promise<void> = Promise.resolve()

  async function save(): Promise<void> {
    const outcome = await kept.keep(encode(files))
    if (!outcome.ok) onNotKept(outcome.error)
  }

  return {
    async recall() {
      const bytes = await kept.read()
      return (bytes === null ? undefined : await decode(bytes)) ?? new Map()
    },
    remember(now) {
      files = now
      timer ??= setTimeout(() => {
        timer = undefined
        saving = saving.then(save)
      }, afterMs).unref()
    },
  }
}

/**
 * Sections of so many files each: two lengths of 32 bits, the files as JSON, and the bytes that they speak of, one behind the
 * other.
 */
const SECTION_FILES = 256
const LENGTHS_BYTES = 8

const Text = Nullable(Type.String())
const Place = Nullable(Type.Integer())
const Section = Type.Array(
  Type.Object({
    blob: Type.String(),
    findings: Type.Array(
      Type.Object({
        severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
        code: Type.Enum([...problemCodes]),
        line: Place,
        column: Place,
        ref: Text,
        message: Type.String(),
      }),
    ),
    entities: Type.Array(
      Type.Object({
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
        jsonBytes: Type.Integer(),
        textBytes: Type.Integer(),
      }),
    ),
  }),
)
type Section = Static<typeof Section>
const section = lazily(() => Compile(Section))

async function* encode(files: Iterable<SnapshotFile>): AsyncGenerator<Uint8Array> {
  const pause = createTimeSlice()
  const written = new Set<ObjectId>()
  let begun: SnapshotFile[] = []
  for (const file of files) {
    if (written.has(file.blob) || wasGivenUp(file)) continue
    written.add(file.blob)
    begun.push(file)
    if (begun.length < SECTION_FILES) continue
    yield encodeSection(begun)
    begun = []
    await pause()
  }
  if (begun.length > 0) yield encodeSection(begun)
}

/** A machine that was busy may have time for it when it starts again. */
const wasGivenUp = ({ parsed }: SnapshotFile): boolean =>
  parsed.findings.some(({ code }) => code === 'yaml_too_slow')

function encodeSection(files: readonly SnapshotFile[]): Uint8Array {
  const bytes: Uint8Array[] = []
  const keep = (part: Uint8Array): number => {
    bytes.push(part)
    return part.length
  }
  const spoken: Section = files.map(({ blob, parsed }) => ({
    blob,
    findings: [...parsed.findings],
    entities: parsed.entities.map(({ card, line, json, text }) => ({
      card,
      line,
      nameEnd: text.nameEnd,
      titleEnd: text.titleEnd,
      jsonBytes: keep(json),
      textBytes: keep(text.bytes),
    })),
  }))
  const json = Buffer.from(JSON.stringify(spoken))
  const lengths = Buffer.alloc(LENGTHS_BYTES)
  lengths.writeUInt32LE(json.length, 0)
  lengths.writeUInt32LE(
    bytes.reduce((sum, { length }) => sum + length, 0),
    LENGTHS_BYTES / 2,
  )
  return Buffer.concat([lengths, json, ...bytes])
}

/** `undefined`: it is nothing that was written here. */
async function decode(bytes: Uint8Array): Promise<Map<ObjectId, ParsedFile> | undefined> {
  const pause = createTimeSlice()
  const files = new Map<ObjectId, ParsedFile>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let start = 0; start < bytes.length;) {
    const jsonStart = start + LENGTHS_BYTES
    if (jsonStart > bytes.length) return undefined
    const jsonEnd = jsonStart + view.getUint32(start, true)
    const end = jsonEnd + view.getUint32(start + LENGTHS_BYTES / 2, true)
    const spoken = parseJson(Buffer.from(bytes.subarray(jsonStart, jsonEnd)).toString())
    if (end > bytes.length || !section().Check(spoken)) return undefined
    if (!decodeSection(spoken, bytes.subarray(jsonEnd, end), files)) return undefined
    start = end
    await pause()
  }
  return files
}

function decodeSection(
  spoken: Section,
  bytes: Uint8Array,
  files: Map<ObjectId, ParsedFile>,
): boolean {
  let at = 0
  const take = (length: number): Uint8Array => bytes.subarray(at, (at += length))
  for (const { blob, findings, entities } of spoken) {
    const id = ObjectId.parse(blob)
    if (id === undefined) return false
    files.set(id, { findings, entities: entities.map((entity) => entityOf(entity, take)) })
  }
  return at === bytes.length
}

const entityOf = (
  { card, line, nameEnd, titleEnd, jsonBytes, textBytes }: Section[number]['entities'][number],
  take: (length: number) => Uint8Array,
): ParsedEntity => ({
  card,
  line,
  json: take(jsonBytes),
  text: { bytes: take(textBytes), nameEnd, titleEnd },
})
