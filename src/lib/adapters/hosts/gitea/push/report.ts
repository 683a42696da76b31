import { readPktLines } from '../../pkt-lines.ts'

/** Outcome of a push of one ref (gitprotocol-pack(5), "Report Status"). */
export interface PushReport {
  /** `null`: the ref was changed. */
  readonly refusal: string | null
  /** Messages of the server's hooks, for people. */
  readonly messages: string
}

const BAND_DATA = 1
const BAND_PROGRESS = 2
const BAND_FATAL = 3

/** Returns `undefined` for an answer without a whole report about `ref`. */
export function readReport(body: Buffer, ref: string): PushReport | undefined {
  const packets = readPktLines(body)
  if (packets === undefined) return undefined
  const bandOf = (packet: Buffer) => packet[0] ?? 0
  // A server without side bands answers with the report itself, which begins with "unpack".
  const isBanded = packets.every((packet) => bandOf(packet) <= BAND_FATAL)
  const band = (wanted: number) =>
    Buffer.concat(packets.filter((each) => bandOf(each) === wanted).map((each) => each.subarray(1)))
  const lines = isBanded ? readPktLines(band(BAND_DATA)) : packets
  const status = (lines ?? []).map((line) => line.toString().trimEnd())
  const messages = isBanded ? Buffer.concat([band(BAND_PROGRESS), band(BAND_FATAL)]).toString() : ''

  const unpack = status.find((line) => line.startsWith('unpack '))
  const refused = status.find((line) => line.startsWith(`ng ${ref} `))
  if (refused !== undefined) return { refusal: refused.slice(`ng ${ref} `.length), messages }
  if (unpack !== undefined && unpack !== 'unpack ok') return { refusal: unpack, messages }
  return unpack !== undefined && status.includes(`ok ${ref}`)
    ? { refusal: null, messages }
    : undefined
}
