import type { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { isObject, parseJson } from '../../lib/text/json.ts'
import { ClientFailure } from './failure.ts'

/** Tokens of a portal. */
export interface Credential {
  readonly refreshToken: string
  readonly accessToken: string
  /** End of the access token, in milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

const SERVICE = 'portico'
const LOCK_POLL_MS = 50
const OTHERS = 0o077

/** Credentials by portal: in the keyring of the system, or where there is none in a file that nobody else can read. */
export interface Credentials {
  /** Portals with a credential, the last one that was signed in at first. */
  portals(): readonly string[]
  read(portal: string): Promise<Credential | undefined>
  write(portal: string, credential: Credential): Promise<void>
  erase(portal: string): Promise<void>
  /** Runs work that no other process of the person does at the same time: a refresh token counts once. */
  alone<Value>(work: () => Promise<Value>): Promise<Value>
}

type Variables = Readonly<Record<string, string | undefined>>

export function openCredentials(variables: Variables): Credentials {
  const { XDG_CONFIG_HOME: named = '' } = variables
  // A relative path is ignored (XDG): it depends on the working directory.
  const folder = join(isAbsolute(named) ? named : join(homedir(), '.config'), 'portico')
  const file = join(folder, 'credentials.json')
  const usesKeyring = variables['PORTICO_CREDENTIALS'] !== 'file'

  function entries(): Map<string, unknown> {
    let text: string
    try {
      // Somebody who can write the file can send the tokens elsewhere, somebody who can read it has them.
      if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0) {
        throw new ClientFailure(`${file} can be read by others: chmod 600 it, or remove it`)
      }
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if (error instanceof ClientFailure) throw error
      return new Map()
    }
    const content = parseJson(text)
    return new Map(isObject(content) ? Object.entries(content) : [])
  }

  function save(changed: ReadonlyMap<string, unknown>): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const next = `${file}.${process.pid}`
    writeFileSync(next, `${JSON.stringify(Object.fromEntries(changed), null, 2)}\n`, {
      mode: 0o600,
    })
    renameSync(next, file)
  }

  return {
    portals: () => [...entries().keys()],

    async read(portal) {
      const entry = entries().get(portal)
      if (entry !== IN_KEYRING) return credentialOf(entry)
      try {
        const kept = await Bun.secrets.get({ service: SERVICE, name: portal })
        return credentialOf(parseJson(kept ?? ''))
      } catch {
        throw new ClientFailure('the keyring of this system cannot be read: unlock it')
      }
    },

    async write(portal, credential) {
      const isKept = usesKeyring && (await inKeyring(portal, JSON.stringify(credential)))
      const entry = isKept ? IN_KEYRING : credential
      const known = entries()
      save(known.has(portal) ? known.set(portal, entry) : new Map([[portal, entry], ...known]))
    },

    async erase(portal) {
      const others = entries()
      if (others.get(portal) === IN_KEYRING) {
        // A locked keyring keeps the entry: the grant of its tokens has ended.
        await Bun.secrets.delete({ service: SERVICE, name: portal }).catch(() => false)
      }
      others.delete(portal)
      save(others)
    },

    async alone(work) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const { Database } = await import('bun:sqlite')
      // The system gives this lock back when its process dies, so that nobody has to guess whether it did.
      using lock = new Database(join(folder, 'lock'))
      while (!isTaken(lock)) await Bun.sleep(LOCK_POLL_MS)
      return await work()
    },
  }
}

const IN_KEYRING = 'keyring'

/** Answers `false` where the system has no keyring. */
async function inKeyring(name: string, value: string): Promise<boolean> {
  try {
    await Bun.secrets.set({ service: SERVICE, name, value })
    return true
  } catch {
    return false
  }
}

function isTaken(lock: Database): boolean {
  try {
    lock.run('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    const isHeld = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'
    if (!isHeld) throw new ClientFailure(`${lock.filename} cannot be locked`)
    return false
  }
}

function credentialOf(value: unknown): Credential | undefined {
  if (!isObject(value)) return undefined
  const { refreshToken, accessToken, expiresAt } = value
  return typeof refreshToken === 'string' &&
    typeof accessToken === 'string' &&
    typeof expiresAt === 'number'
    ? { refreshToken, accessToken, expiresAt }
    : undefined
}
