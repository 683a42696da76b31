import { hostname } from 'node:os'

/** No dots, which separate the parts. */
const HOST = Bun.hash(hostname()).toString(36)
/** A process may have the number of one that died, above all in a container. */
const BIRTH = crypto.randomUUID()
const NAME = /^([0-9a-z]+)\.([0-9]+)\.([-0-9a-f]{36})\.[-0-9a-f]{36}$/
/** A living one is written to more often than that, since a stream that brings nothing is ended sooner. */
const ABANDONED_AFTER_MS = 300_000

/** What a file is called while it is written: whose it is, so that what a dead process leaves is known as such. */
export const incomingName = (): string => `${HOST}.${process.pid}.${BIRTH}.${crypto.randomUUID()}`

/** Whether nobody writes the file any more. Of this machine the processes say it; of others, and of what has no such name, time. */
export function isAbandoned(name: string, mtimeMs: number, now: number): boolean {
  const [, host, pid, birth] = NAME.exec(name) ?? []
  if (host === HOST && Number(pid) === process.pid) return birth !== BIRTH
  if (host === HOST && !isAlive(Number(pid))) return true
  return now - mtimeMs > ABANDONED_AFTER_MS
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    // EPERM: it lives, and is somebody else's.
    return !(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')
  }
}
