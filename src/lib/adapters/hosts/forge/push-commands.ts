import { decodeUtf8Exactly } from '../../../text/utf8.ts'
import { NO_OBJECT } from '../../../git/git.ts'
import { ObjectId } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { pktLength, PKT_HEAD_BYTES, FLUSH, pktLine } from '../pkt-lines.ts'
import type { BodyFault, RequestBody } from './request-body.ts'
import { NOT_CACHED, refuse } from './git-request.ts'

/** About two thousand refs. */
const COMMANDS_BYTES_MAX = 256 * 1024

/** Upper case and inner line feeds, which git would take, are not sent by any client. */
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]+?)(?:\0([^\0]*))?\n?$/

export interface RefCommand {
  /** Unchecked. */
  readonly ref: string
  /** The client's claim, which git compares when it moves the ref; `null`: the ref does not exist. */
  readonly before: ObjectId | null
  /** `null`: the ref is deleted. */
  readonly after: ObjectId | null
}

/** The first part of a push: the refs that it changes (gitprotocol-pack(5), "Reference Update Request"). */
export interface PushCommands {
  readonly refs: readonly RefCommand[]
  readonly capabilities: readonly string[]
  /** Everything that was read, with what followed the commands in the same chunk. */
  readonly bytes: Buffer
}

export async function readPushCommands(
  body: RequestBody,
): Promise<Result<PushCommands, BodyFault>> {
  let bytes = Buffer.alloc(0)
  /** Reads on until this many bytes are there. */
  async function fill(size: number): Promise<Result<void, BodyFault>> {
    while (bytes.length < size) {
      const part = await body.read()
      if (!part.ok) return part
      if (part.value === null) return err('malformed')
      bytes = Buffer.concat([bytes, part.value])
    }
    return ok(undefined)
  }

  const refs: RefCommand[] = []
  const capabilities: string[] = []
  for (let at = 0; at < COMMANDS_BYTES_MAX;) {
    const head = await fill(at + PKT_HEAD_BYTES)
    if (!head.ok) return head
    const length = pktLength(bytes, at)
    if (length === 0) return ok({ refs, capabilities, bytes })
    if (length === undefined || length < PKT_HEAD_BYTES) return err('malformed')
    const whole = await fill(at + length)
    if (!whole.ok) return whole
    const line = decodeUtf8Exactly(bytes.subarray(at + PKT_HEAD_BYTES, at + length))
    at += length
    if (line?.startsWith('shallow ')) continue
    const [, before, after, ref, offered = ''] = COMMAND.exec(line ?? '') ?? []
    if (ref === undefined) return err('malformed')
    refs.push({ ref, before: objectOf(before), after: objectOf(after) })
    capabilities.push(...offered.trim().split(' '))
  }
  return err('too_large')
}

const objectOf = (id: string | undefined): ObjectId | null =>
  id === NO_OBJECT ? null : (ObjectId.parse(id) ?? null)

/** A packet of the narrow side band has at most 1,000 bytes; a character at most four. */
const PARTS = /[^]{1,200}/gu
const BAND_REPORT = '\u0001'
const NOT_ALONE = 'nothing was pushed, since another ref was refused'

/** A push is refused as a whole, with the reason for each ref, as git itself reports it (gitprotocol-pack(5), "Report Status"). */
export function refusePush(
  { refs, capabilities }: PushCommands,
  reasons: ReadonlyMap<string, string>,
): Response {
  const offers = (name: string) => capabilities.includes(name)
  if (!offers('report-status') && !offers('report-status-v2')) {
    return refuse(403, [...reasons.values()].join('\n'))
  }
  const lines = refs.map(({ ref }) => pktLine(`ng ${ref} ${reasons.get(ref) ?? NOT_ALONE}\n`))
  const report = `${pktLine('unpack ok\n')}${lines.join('')}${FLUSH}`
  const isBanded = offers('side-band-64k') || offers('side-band')
  return new Response(isBanded ? banded(report) : report, {
    headers: { ...NOT_CACHED, 'content-type': 'application/x-git-receive-pack-result' },
  })
}

function banded(report: string): string {
  const parts = report.match(PARTS) ?? []
  return `${parts.map((part) => pktLine(`${BAND_REPORT}${part}`)).join('')}${FLUSH}`
}
