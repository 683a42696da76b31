import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSessions } from '#src/lib/domain/access/sessions/sessions.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { describePostgres } from '#tests/peers/postgres.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { ada, MINUTE, tokensOf } from './token-world.ts'
import { ALL_RECORDS } from '#tests/support/kept-audit.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const PROGRAM = join(import.meta.dir, '../../../peers/decide-process.ts')
const RENEWED = JSON.stringify({ kind: 'known', names: ['renewed'] })
/** Takes each refresh token once; a second use ends the sign-in, as at Keycloak. */
function startProvider() {
  const asked: string[] = []
  let current: string | null = 'refresh-0'
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const token = await request.text()
      asked.push(token)
      if (token !== current) {
        current = null
        return new Response(null, { status: 400 })
      }
      const tokens = tokensOf(asked.length, Date.now())
      current = tokens.refreshToken
      await Bun.sleep(100)
      const groups = { kind: 'known', names: ['renewed'] }
      return Response.json({ principal: { ...ada, groups }, sid: null, tokens })
    },
  })
  return { asked, url: server.url.href, stop: () => server.stop(true) }
}

/** A session that was opened six minutes ago, and processes that decide by it. */
async function open(url: string) {
  const database = valueOf(await openDatabase(url))
  const sessions = createSessions({
    store: database.sessions,
    keyring: keyringOf(KEY_1),
    clock: { now: () => Date.now() - 6 * MINUTE },
    log: () => {},
    idleSeconds: 36_000,
    absoluteSeconds: 36_000,
  })
  const tokens = tokensOf(0, Date.now() + 60 * MINUTE)
  const browser = { address: null, userAgent: null }
  const signIn = async () =>
    valueOf(await sessions.open({ principal: ada, sid: null, tokens, ...browser })).token
  const token = await signIn()
  const provider = startProvider()
  return {
    database,
    provider,
    signIn,
    async start(decisions: number, aheadMs = 0, fate = 'live') {
      const args = [url, provider.url, token, String(decisions), String(aheadMs), fate]
      const child = Bun.spawn([process.execPath, PROGRAM, ...args], {
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const reader = child.stdout.getReader()
      const first = await reader.read()
      expect(new TextDecoder().decode(first.value)).toBe('ready\n')
      return {
        /** What the decisions answered; empty for a process that was killed. */
        async decide(): Promise<string> {
          await child.stdin.write('go\n')
          await child.stdin.end()
          const decoder = new TextDecoder()
          let text = ''
          for (let part = await reader.read(); !part.done; part = await reader.read()) {
            text += decoder.decode(part.value)
          }
          await child.exited
          return text.trim()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await provider.stop()
      await database.close()
    },
  }
}

function renewalOf(newUrl: () => Promise<string>) {
  test('200 decisions at once in two processes ask the provider once', async () => {
    await using at = await open(await newUrl())
    const processes = await Promise.all([at.start(100), at.start(100)])
    const answers = await Promise.all(processes.map((process) => process.decide()))
    const all = JSON.stringify({ [RENEWED]: 100 })
    expect(answers).toStrictEqual([all, all])
    expect(at.provider.asked).toStrictEqual(['refresh-0'])
  })

  test('a process that dies with the answer loses this sign-in, and nothing else', async () => {
    await using at = await open(await newUrl())
    const other = await at.signIn()
    expect(await (await at.start(1, 0, 'die')).decide()).toBe('')
    expect(at.provider.asked).toStrictEqual(['refresh-0'])
    // The next one waits for the lease of the dead one, here by its clock.
    const next = await (await at.start(10, 16_000)).decide()
    expect(next).toBe(JSON.stringify({ identity_rejected: 10 }))
    expect(at.provider.asked).toStrictEqual(['refresh-0', 'refresh-0'])
    const { issuer, subject } = ada
    const left = valueOf(await at.database.sessions.list({ issuer, subject }))
    expect(left).toHaveLength(1)
    expect(other).toHaveLength(43)
    expect(valueOf(await at.database.audit.list(ALL_RECORDS))).toMatchObject([
      { action: 'session.ended_by_provider', code: 'identity_rejected', subject: 'ada' },
    ])
  })
}

describe('SQLite', () => {
  const directory = folderOfTests()
  let files = 0
  renewalOf(async () => `sqlite:${join(directory, `${++files}.sqlite`)}`)
})

describePostgres('PostgreSQL', (peer) => {
  renewalOf(() => peer().createDatabase())
})
