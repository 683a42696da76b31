import { describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitFailure, GitHost } from '#src/lib/ports/git-host.ts'
import type { Result } from '#src/lib/result.ts'
import { AUTHOR, branch, value, write } from '#tests/contracts/git-host.ts'
import { newDataDirectory } from '#tests/adapters/hosts/data-directory.ts'
import { sightings } from '#tests/support/canaries.ts'
import { everythingOnDisk } from '#tests/support/everything-on-disk.ts'
import { GIT_HOSTS, type HostedFixture } from './git-hosts.ts'

const BEFORE = `canary-before-${'b'.repeat(20)}`
const AFTER = `canary-after-${'a'.repeat(20)}`

/** A process whose token comes from a file. */
async function withTokenFile(fixture: HostedFixture) {
  const folder = await mkdtemp(join(tmpdir(), 'portico-token-'))
  const tokenFile = join(folder, 'token')
  await writeFile(tokenFile, `${BEFORE}\n`)
  fixture.admit(BEFORE)
  const dataDirectory = newDataDirectory()
  const lines: unknown[] = []
  const note = (...line: readonly unknown[]) => void lines.push(line)
  return {
    host: fixture.another({ tokenFile, dataDirectory, note }),
    dataDirectory,
    lines,
    rotate: () => writeFile(tokenFile, `${AFTER}\n`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const commitTo = (host: GitHost, { repository, seed }: HostedFixture, name: string) =>
  host.commit(repository, {
    branch: branch(name),
    from: { kind: 'create', parent: seed },
    changes: [write('x', name)],
    message: 'Change',
    author: AUTHOR,
  })

/** Argument vectors of all processes. */
async function argumentVectors(): Promise<readonly (readonly [string, Uint8Array])[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = ids.map(async (id) => {
    const bytes = await readFile(`/proc/${id}/cmdline`).catch(() => new Uint8Array())
    return [`/proc/${id}`, bytes] as const
  })
  return Promise.all(read)
}

/** Files below a folder whose files come and go. */
async function filesNow(folder: string): Promise<readonly (readonly [string, Uint8Array])[]> {
  const paths = await readdir(folder, { recursive: true }).catch(() => [])
  const read = paths.map(async (path) => {
    const bytes = await readFile(join(folder, path)).catch(() => new Uint8Array())
    return [path, bytes] as const
  })
  return Promise.all(read)
}

// The engine is one for all hosts.
const [[, open]] = GIT_HOSTS

describe('a token', () => {
  test('that is refused in the middle is read again from its file, by git too', async () => {
    await using fixture = await open()
    await using portico = await withTokenFile(fixture)
    const { host } = portico
    value(await host.listFiles(fixture.repository, { commit: fixture.seed }))
    const rotated = Promise.withResolvers<void>()
    fixture.gitArrivals.splice(0)
    fixture.fail({ on: 'git-advertise', fault: { kind: 'wait', until: rotated.promise } })
    const committing = commitTo(host, fixture, 'topic')
    while (fixture.gitArrivals.length === 0) await Bun.sleep(5)
    fixture.admit(AFTER)
    fixture.revoke(BEFORE)
    await portico.rotate()
    rotated.resolve()
    const made = value(await committing)
    const tokens = fixture.gitArrivals.map(({ authorization }) => authorization)
    expect(new Set(tokens).size).toBe(2)
    expect(value(await host.head(fixture.repository, branch('topic')))).toStrictEqual(made)
  })

  test('that is revoked is git_denied, for reads and writes by git', async () => {
    await using fixture = await open()
    await using portico = await withTokenFile(fixture)
    const { host } = portico
    value(await host.head(fixture.repository))
    fixture.revoke(BEFORE)
    const denied = { kind: 'git_denied', what: 'the credentials were refused' } as const
    for (const failed of [
      await host.listFiles(fixture.repository, { commit: fixture.seed }),
      await commitTo(host, fixture, 'topic'),
      await host.listBranches(fixture.repository, ''),
    ]) {
      expect(failed).toStrictEqual({ ok: false, error: denied })
    }
  })

  test('is in no argument vector, file, failure or line of the log', async () => {
    await using fixture = await open()
    await using portico = await withTokenFile(fixture)
    const { host, dataDirectory, lines } = portico
    const { repository, seed } = fixture
    const canaries = new Map([
      ['token', BEFORE],
      ['basic', Buffer.from(`:${BEFORE}`).toString('base64').slice(2, -4)],
    ])
    const seen: (readonly [string, string | Uint8Array])[] = []

    fixture.delay(150)
    const ended = new AbortController()
    const sampling = (async () => {
      let samples = 0
      for (; !ended.signal.aborted; samples += 1) {
        const vectors = await argumentVectors()
        seen.push(...vectors.filter(([, bytes]) => Buffer.from(bytes).includes('git')))
        seen.push(...(await filesNow(dataDirectory)))
        await Bun.sleep(20)
      }
      return samples
    })()
    value(await host.listFiles(repository, { commit: seed }))
    value(await commitTo(host, fixture, 'topic'))
    fixture.delay(0)
    ended.abort()
    expect(await sampling).toBeGreaterThan(3)
    expect(seen.some(([, bytes]) => Buffer.from(bytes).includes('fetch'))).toBe(true)

    const failures: Result<unknown, GitFailure>[] = []
    const faults = [
      { kind: 'reset' },
      { kind: 'answer', status: 401, body: `no ${BEFORE}` },
      { kind: 'answer', status: 403, body: 'no' },
      { kind: 'answer', status: 500, body: 'no' },
      { kind: 'answer', status: 302, body: '', headers: { location: 'http://127.0.0.1:1/x' } },
      { kind: 'cut', bytes: 10 },
    ] as const
    for (const [index, fault] of faults.entries()) {
      for (const on of ['git-advertise', 'git-upload-pack', 'git-receive-pack'] as const) {
        fixture.fail({ on, times: 20, fault })
        failures.push(await commitTo(host, fixture, `failed-${index}-${on}`))
        fixture.mend()
      }
    }
    for await (const file of everythingOnDisk(dataDirectory)) seen.push(file)
    expect(failures.filter(({ ok }) => !ok).length).toBeGreaterThan(9)
    seen.push(['failures', JSON.stringify(failures)], ['log', JSON.stringify(lines)])
    expect(sightings(canaries, seen)).toStrictEqual([])
  })
})
