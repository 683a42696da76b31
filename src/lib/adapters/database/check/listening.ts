import type { SQL } from 'bun'
import { randomBytes } from 'node:crypto'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'

const NOTICE_TIMEOUT_MS = 2000

/**
 * Whether replicas learn of changes at once. A pooler in transaction mode accepts `LISTEN` and loses the notifications, so only one
 * that arrives is proof; it also proves that both URLs lead to the same database.
 */
export async function checkListening(sql: SQL, listener: SQL): Promise<ConnectionFinding> {
  const channel = `portico_check_${randomBytes(8).toString('hex')}`
  const heard = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => heard.resolve(false), NOTICE_TIMEOUT_MS)
  const subscription = await listener.listen(channel, () => heard.resolve(true))
  try {
    await sql`SELECT pg_notify(${channel}, '')`
    return (await heard.promise)
      ? works('Notifications reach DATABASE_LISTEN_URL: replicas learn of changes at once.')
      : fails(
          'Notifications do not reach DATABASE_LISTEN_URL. It must lead to the database of DATABASE_URL, and to the server itself: a pooler in transaction mode loses them.',
        )
  } finally {
    clearTimeout(timer)
    await subscription.unlisten()
  }
}
