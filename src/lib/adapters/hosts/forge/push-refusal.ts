import { FLUSH, pktLine } from '../pkt-lines.ts'
import { NOT_CACHED, refuse } from './git-request.ts'
import type { PushCommands } from './push-commands.ts'

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
