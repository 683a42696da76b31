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
}

export async function checkPostgres({
  url,
  listenUrl,
  authority,
}: DatabaseToCheck): Promise<readonly ConnectionFinding[]> {
  const connected = await connectTo('DATABASE_URL', url, authority)
  if (!connected.ok) return [fails(connected.error)]
  const { sql, at, offersTls } = connected.value
  try {
    const rights = await checkRights(sql, at)
    const listening = await checkListening(connected.value, listenUrl, authority)
    return [...rights, checkTls(at, offersTls, authority), ...listening]
  } catch (error) {
    return [fails(refusalText(error, at, authority))]
  } finally {
    await closeNow(sql)
  }
}
