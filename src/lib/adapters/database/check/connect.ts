import { SQL } from 'bun'
import { ok, type Result, err } from '../../../result.ts'
import { type DatabaseAddress, readAddress } from './address.ts'
import { dial } from './dial.ts'
import { tlsOf } from '../postgres-tls.ts'
import { dialFailureText, refusalText } from './refusal.ts'

const CONNECT_TIMEOUT_S = 3

/** An open connection to the server of an address. */
export interface CheckedConnection {
  readonly at: DatabaseAddress
  readonly sql: SQL
  readonly offersTls: boolean
}

/** Two connections at most. The failure is a sentence. */
export async function connectTo(
  variable: string,
  url: string,
  authority: string | null,
): Promise<Result<CheckedConnection, string>> {
  const at = readAddress(variable, url)
  if (at === undefined) return err(`${variable} is not a URL.`)
  const dialled = await dial(at.host, at.port)
  if (!dialled.ok) return err(dialFailureText(dialled.error, at))
  let sql: SQL | undefined
  try {
    const tls = tlsOf(url, authority)
    if (!tls.ok) return err(`${variable}: ${tls.error.reason}.`)
    sql = new SQL(url, {
      max: 2,
      // Poolers in transaction mode know no prepared statements of another connection.
      prepare: false,
      connectionTimeout: CONNECT_TIMEOUT_S,
      ...(tls.value !== undefined && { tls: tls.value }),
    })
    await sql`SELECT 1`
    return ok({ at, sql, offersTls: dialled.value.offersTls })
  } catch (error) {
    if (sql !== undefined) await closeNow(sql)
    return err(refusalText(error, at, authority))
  }
}

/** The check has ended: an error of the way out concerns nobody. */
export const closeNow = (sql: SQL): Promise<void> => sql.close({ timeout: 0 }).catch(() => {})
