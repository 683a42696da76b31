import { describe, expect, test } from 'bun:test'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readPushCommands } from '#src/lib/adapters/hosts/forge/push-commands.ts'
import { runGit } from '#src/lib/git/git.ts'
import { openBody } from '#src/lib/adapters/hosts/forge/request-body.ts'
import { FLUSH, pktLine } from '#src/lib/adapters/hosts/pkt-lines.ts'
import type { PushedRef } from '#src/lib/ports/forge.ts'
import { AUTHOR, branch, TEAM, value, write } from '#tests/contracts/git-host.ts'
import {
  attempt,
  clone,
  git,
  openLocal,
  REPOSITORY,
  serve,
  type LocalFixture,
} from './open-local.ts'

async function cloneOf(fixture: LocalFixture, url: string) {
  const work = await clone(fixture, url)
  await git(work, ['commit', '--quiet', '--allow-empty', '-m', 'mine'])
  return work
}

const attemptPush = (work: string, ...args: readonly string[]) => attempt(work, 'push', ...args)

describe('local: the rule of a push', () => {
  test('is asked about every ref, with what is known of it', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const { commit } = value(await host.head(repository))
    const from = { kind: 'create', parent: commit } as const
    const changes = [write('x', 'x')]
    value(
      await host.commit(repository, {
        branch: branch('portal'),
        from,
        changes,
        message: 'x',
        author: AUTHOR,
      }),
    )
    const asked: PushedRef[] = []
    await using server = serve(host, AUTHOR, (pushed) => {
      asked.push(pushed)
      return null
    })
    const work = await cloneOf(fixture, server.url)
    await git(work, ['push', '--quiet', 'origin', 'main:own', 'HEAD:refs/tags/v1'])
    expect(await attemptPush(work, 'origin', 'main', ':own')).toBe('done')
    expect(await attemptPush(work, 'origin', '+main:portal')).toBe('done')
    const facts = asked.map(({ ref, change, isDefaultBranch, creator }) =>
      [change, isDefaultBranch ? 'default' : 'other', ref, creator?.email].join(' '),
    )
    expect(new Set(facts)).toStrictEqual(
      new Set([
        'create other refs/heads/own ',
        'create other refs/tags/v1 ',
        'update default refs/heads/main portico@localhost',
        `delete other refs/heads/own ${AUTHOR.email}`,
        'update other refs/heads/portal portico@localhost',
      ]),
    )
    expect(asked[0]?.team).toBe(TEAM)
  })

  test('refuses a push as a whole, in the words of the rule', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR, ({ ref }) =>
      ref === 'refs/heads/theirs' ? 'this one is theirs' : null,
    )
    const work = await cloneOf(fixture, server.url)
    const answer = await attemptPush(work, 'origin', 'main', 'main:theirs')
    expect(answer).toContain('main -> theirs (this one is theirs)')
    expect(answer).toContain('main -> main (nothing was pushed, since another ref was refused)')
    expect(await attemptPush(work, 'origin', 'main')).toBe('done')
  })

  test('judges the branch that the push announces, and no other that somebody creates meanwhile', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const work = await cloneOf(fixture, server.url)
    const before = (await git(work, ['rev-parse', 'HEAD~1'])).trim()
    const push = await fetch(`${server.url}/${REPOSITORY}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
      body: `${pktLine(`${before} ${'1'.repeat(40)} refs/heads/not-yet\0report-status`)}${FLUSH}`,
    })
    expect(await push.text()).toContain('ng refs/heads/not-yet it has changed meanwhile')
  })

  test('lets no branch have the name of another in other letters', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const work = await cloneOf(fixture, server.url)
    expect(await attemptPush(work, 'origin', 'HEAD:refs/heads/MAIN')).toContain('the name is taken')
    expect(await attemptPush(work, 'origin', 'HEAD:refs/tags/MAIN')).toBe('done')
  })

  test('refuses more than one packet holds', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR, () => 'näh'.repeat(100))
    const work = await cloneOf(fixture, server.url)
    const answer = await attemptPush(work, 'origin', 'main', 'main:other')
    expect(answer).toContain(`main -> other (${'näh'.repeat(100)})`)
  })

  test('takes a person for the creator of a branch only by its log', async () => {
    await using fixture = await openLocal()
    const creators: (string | null)[] = []
    await using server = serve(fixture.host, AUTHOR, ({ creator }) => {
      creators.push(creator?.email ?? null)
      return null
    })
    const work = await cloneOf(fixture, server.url)
    await git(work, ['push', '--quiet', 'origin', 'main:own'])
    const log = Bun.file(join(fixture.bare, 'logs/refs/heads/own'))
    await log.write((await log.text()).replace(/> \d+ /, '> 1000000000 '))
    expect(await runGit(fixture.bare, ['gc', '--quiet'])).toMatchObject({ value: { code: 0 } })
    expect(await attemptPush(work, 'origin', ':own')).toBe('done')
    await git(work, ['push', '--quiet', 'origin', 'main:own'])
    await rm(join(fixture.bare, 'logs/refs/heads/own'))
    await mkdir(join(fixture.bare, 'logs/refs/heads/own'))
    expect(await attemptPush(work, 'origin', ':own')).not.toContain('refused')
    expect(creators).toStrictEqual([null, AUTHOR.email, null, null])
  })
})

describe('local: the default branch', () => {
  test('is never forced or deleted, whatever the rule says', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const work = await cloneOf(fixture, server.url)
    await git(work, ['push', '--quiet', 'origin', 'main', 'main:own'])
    const head = value(await fixture.host.head(fixture.repository))
    await git(work, ['commit', '--quiet', '--amend', '--allow-empty', '-m', 'else'])
    expect(await attemptPush(work, '--force', 'origin', 'main')).toContain('non-fast-forward')
    expect(await attemptPush(work, 'origin', ':main')).toContain(
      'the default branch cannot be deleted',
    )
    expect(await attemptPush(work, '--force', 'origin', 'main:own')).toBe('done')
    expect(value(await fixture.host.head(fixture.repository))).toStrictEqual(head)
  })
})

describe('local: the commands of a push', () => {
  const NONE = '0'.repeat(40)
  const ID = '1'.repeat(40)
  const read = (body: ReadableStream | Buffer, deadlineMs = 60_000) =>
    readPushCommands(
      openBody(new Request('http://localhost', { method: 'POST', body }), 'identity', {
        bytesMax: 1e9,
        patienceMs: 1_000,
        deadlineMs,
      }),
    )
  const line = pktLine(`${NONE} ${ID} refs/heads/x\0 report-status quiet`)
  const many = line.repeat(10_000)
  const second = pktLine(`${ID} ${NONE} refs/tags/y\n`)

  test('are read wherever the network cuts them, and nothing is lost', async () => {
    const text = `${pktLine(`shallow ${ID}\n`)}${line}${second}${FLUSH}PACK`
    const body = new ReadableStream({
      async pull(controller) {
        for (const byte of Buffer.from(text)) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const whole = await read(Buffer.from(text))
    if (!whole.ok) throw new Error(whole.error)
    expect(whole.value.refs.map(({ ref, after }) => `${ref} ${after}`)).toStrictEqual([
      `refs/heads/x ${ID}`,
      'refs/tags/y null',
    ])
    expect(whole.value.capabilities).toContain('report-status')
    expect(whole.value.bytes.toString()).toBe(text)
    expect(await read(body)).toMatchObject({ value: { refs: whole.value.refs } })
  })

  test.each([
    ['no packet', 'hello, git'],
    ['a cut-off packet', line.slice(0, 30)],
    ['no flush packet', line],
    ['another packet', `0001${line}${FLUSH}`],
    ['a certificate', `${pktLine('push-cert\0report-status\n')}${FLUSH}`],
    ['upper case', `${pktLine(`${NONE} ${'A'.repeat(40)} refs/heads/x`)}${FLUSH}`],
    ['a line feed', `${pktLine(`${NONE} ${ID} refs/heads/x\ny`)}${FLUSH}`],
  ])('with %s are refused', async (_, text) => {
    expect(await read(Buffer.from(text))).toStrictEqual({ ok: false, error: 'malformed' })
  })

  test('that are no UTF-8 are refused', async () => {
    const bytes = Buffer.from(`${pktLine(`${NONE} ${ID} refs/heads/?`)}${FLUSH}`)
    bytes[bytes.indexOf('?')] = 0xff
    expect(await read(bytes)).toStrictEqual({ ok: false, error: 'malformed' })
  })

  test('that come byte by byte are not waited for beyond the deadline', async () => {
    const bytes = Buffer.from(many).values()
    const body = new ReadableStream({
      async pull(controller) {
        await Bun.sleep(1)
        controller.enqueue(Uint8Array.of(bytes.next().value ?? 0))
      },
    })
    expect(await read(body, 50)).toStrictEqual({ ok: false, error: 'stalled' })
  })

  test('are not read without end', async () => {
    expect(await read(Buffer.from(many))).toStrictEqual({ ok: false, error: 'too_large' })
  })
})
