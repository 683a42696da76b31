import type { Clock } from '../../../ports/clock.ts'
import { type ConnectionFinding, fails } from '../../../ports/connection-finding.ts'
import { closeNow, connectTo } from './connect.ts'
import { checkListening } from './listening.ts'
import { refusalText } from './refusal.ts'
import { checkRights } from './rights.ts'
import { checkTls } from './tls.ts'

export interface DatabaseToCheck {
  /** `DATABASE_URL`. */
  readonly url: string
  /** `DATABASE_LISTEN_URL`. */
  readonly listenUrl: string | null
  /** The authority of `DATABASE_CA_FILE`, in PEM. */
  readonly authority: string | null
  readonly clock: Clock
}

export async function checkPostgres({
  url,
  listenUrl,
  authority,
  clock,
}: DatabaseToCheck): Promise<readonly ConnectionFinding[]> {
  const connected = await connectTo('DATABASE_URL', url, authority)
  if (!connected.ok) return [fails(connected.error)]
  const { sql, at, offersTls } = connected.value
  try {
    const rights = await checkRights(sql, at, clock)
    const listening = await checkListening(connected.value, listenUrl, authority)
    return [...rights, checkTls(at, offersTls, authority), ...listening]
  } catch (error) {
    return [fails(refusalText(error, at, authority))]
  } finally {
    await closeNow(sql)
  }
}
