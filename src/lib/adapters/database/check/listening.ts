import { randomBytes } from 'node:crypto'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { type CheckedConnection, closeNow, connectTo } from './connect.ts'
import { refusalText } from './refusal.ts'

const NOTICE_TIMEOUT_MS = 2000

/**
 * Whether replicas hear of each other at once. A pooler in transaction mode says OK to `LISTEN` and loses the notice, so that only a
 * notice that arrives is a proof; it also proves that both URLs lead to the same database.
 */
export async function checkListening(
  connection: CheckedConnection,
  listenUrl: string | null,
  authority: string | null,
): Promise<readonly ConnectionFinding[]> {
  const isPooled = await sharesSessions(connection)
  const pooler = isPooled
    ? [works(`A pooler in transaction mode is in front of PostgreSQL (DATABASE_URL).`)]
    : []
  if (listenUrl === null) {
    const where = isPooled ? 'the address of the server itself' : 'the same URL'
    return [
      ...pooler,
      works(
        `Without DATABASE_LISTEN_URL replicas ask the database for changes, and hear of one within a second; with ${where} there they hear of it at once.`,
      ),
    ]
  }
  const listener = await connectTo('DATABASE_LISTEN_URL', listenUrl, authority)
  if (!listener.ok) return [...pooler, fails(listener.error)]
  try {
    const isHeard = await hearsNotice(connection, listener.value)
    return [...pooler, isHeard ? works(HEARD) : fails(LOST)]
  } catch (error) {
    return [...pooler, fails(refusalText(error, listener.value.at, authority))]
  } finally {
    await closeNow(listener.value.sql)
  }
}

const HEARD =
  'Notices of DATABASE_URL arrive at DATABASE_LISTEN_URL: replicas hear of changes at once.'
const LOST =
  'Notices of DATABASE_URL do not arrive at DATABASE_LISTEN_URL. It has to lead to the same database, and to the server itself: a pooler in transaction mode loses them.'

async function hearsNotice(from: CheckedConnection, to: CheckedConnection): Promise<boolean> {
  const channel = `portico_check_${randomBytes(8).toString('hex')}`
  const heard = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => heard.resolve(false), NOTICE_TIMEOUT_MS)
  const subscription = await to.sql.listen(channel, () => heard.resolve(true))
  try {
    await from.sql`SELECT pg_notify(${channel}, '')`
    return await heard.promise
  } finally {
    clearTimeout(timer)
    await subscription.unlisten()
  }
}

/** Two connections of ours get the same server process only from a pooler in transaction mode. */
async function sharesSessions({ sql }: CheckedConnection): Promise<boolean> {
  const one = await sql.reserve()
  const other = await sql.reserve()
  try {
    const [first] = await one<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
    const [second] = await other<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
    return first?.pid === second?.pid
  } finally {
    await one.release()
    await other.release()
  }
}
