import { describe, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSmartHttp } from '#src/lib/adapters/hosts/forge/smart-http.ts'
import { ok } from '#src/lib/result.ts'
import { AUTHOR, branch, value, write } from '#tests/contracts/git-host.ts'
import {
  anythingGoes,
  attempt,
  clone,
  git,
  openLocal,
  proposal,
  REPOSITORY,
  serve,
  type LocalFixture,
} from './open-local.ts'

async function commitFile(work: string, name: string, content: string | Uint8Array) {
  await writeFile(join(work, name), content)
  await git(work, ['add', '.'])
  await git(work, ['commit', '--quiet', '-m', name])
}

const show = async ({ host, repository }: LocalFixture, number: number) =>
  value(await host.findPullRequests(repository, { number }))[0]

describe('local: git clients', () => {
  test.each(['0', '1', '2'])('clone and push with protocol version %s', async (version) => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const work = await clone(fixture, server.url, '-c', `protocol.version=${version}`)
    expect(await readFile(join(work, 'README.md'), 'utf8')).toBe('hello\n')
    await commitFile(work, 'pushed', 'pushed\n')
    await git(work, ['push', '--quiet', 'origin', 'main'])
    const pushed = (await git(work, ['rev-parse', 'HEAD'])).trim()
    const head = value(await fixture.host.head(fixture.repository))
    expect(String(head.commit)).toBe(pushed)
    expect(
      fixture.reported.map(([, changes]) => changes.map(({ ref, after }) => [ref, after])),
    ).toEqual([[['refs/heads/main', head.commit]]])
  })

  test('clone partially and shallowly', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, 'anonymous')
    const work = await clone(fixture, server.url, '--filter=blob:none', '--depth=1')
    expect(await readFile(join(work, 'catalog/deep/b.yaml'), 'utf8')).toBe('b: 1\n')
  })

  test.each([0, 2])('fetch any object by its id, with protocol %i', async (version) => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, 'anonymous')
    const protocol = ['-c', `protocol.version=${version}`]
    const work = await clone(fixture, server.url, '--filter=blob:none', ...protocol)
    expect(await readFile(join(work, 'catalog/deep/b.yaml'), 'utf8')).toBe('b: 1\n')
  })

  test('push and fetch what does not fit into one buffer', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const work = await clone(fixture, server.url)
    const large = new Uint8Array(5 * 1024 * 1024)
    for (let at = 0; at < large.length; at += 65_536)
      crypto.getRandomValues(large.subarray(at, at + 65_536))
    await commitFile(work, 'large', large)
    await git(work, ['push', '--quiet', 'origin', 'main'])
    const again = await clone(fixture, server.url)
    expect((await readFile(join(again, 'large'))).equals(large)).toBe(true)
  })

  test('fetch the head of a pull request, also after it moved through a call', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, 'anonymous')
    const { host, repository } = fixture
    const { number, head } = await proposal(fixture, 'topic')
    const work = await clone(fixture, server.url)
    const fetchHead = async () => {
      await git(work, ['fetch', '--quiet', 'origin', `pull/${number}/head`])
      return (await git(work, ['rev-parse', 'FETCH_HEAD'])).trim()
    }
    expect(await fetchHead()).toBe(head.commit)
    const from = { kind: 'advance', expected: head.commit } as const
    const request = { changes: [write('more', 'more')], message: 'more', author: AUTHOR }
    const moved = await host.commit(repository, { branch: head.branch, from, ...request })
    expect(await fetchHead()).toBe(value(moved).commit)
  })

  test('never see the records of pull requests', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, 'anonymous')
    await proposal(fixture, 'topic')
    const listed = await git(fixture.scratch, ['ls-remote', `${server.url}/${REPOSITORY}`])
    expect(listed.match(/refs\/\S+/g)).toStrictEqual([
      'refs/heads/main',
      'refs/heads/topic',
      'refs/pull/1/head',
    ])
  })

  test('cannot push to refs that are ours, nor outside branches and tags', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    await proposal(fixture, 'topic')
    const work = await clone(fixture, server.url)
    await commitFile(work, 'evil', 'evil')
    const refs = () => git(fixture.scratch, [`--git-dir=${fixture.bare}`, 'for-each-ref'])
    const before = await refs()
    for (const ref of [
      'refs/pull/1/head',
      'refs/pull/9/head',
      'refs/portico/pulls/1',
      'refs/replace/x',
    ]) {
      expect(await attempt(work, 'push', '--force', 'origin', `HEAD:${ref}`)).toContain(
        'deny updating a hidden ref',
      )
    }
    expect(await attempt(work, 'push', 'origin', ':refs/pull/1/head')).not.toBe('done')
    expect(await refs()).toBe(before)
    expect(await attempt(work, 'push', 'origin', 'HEAD:refs/tags/v1')).toBe('done')
  })

  test('cannot push a branch or tag whose name git would take for another', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const work = await clone(fixture, server.url)
    await commitFile(work, 'other', 'other')
    for (const name of ['HEAD', 'refs/heads/main']) {
      for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`]) {
        expect(await attempt(work, 'push', 'origin', `main:${ref}`)).toContain(
          'deny updating a hidden ref',
        )
      }
    }
    expect(await attempt(work, 'push', 'origin', 'main:refs/heads/HEADER')).toBe('done')
  })

  test('cannot push objects that git finds dangerous', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const work = await clone(fixture, server.url)
    const blob = (await git(work, ['hash-object', '-w', '--stdin'], 'x')).trim()
    const evil = (await git(work, ['mktree'], `100644 blob ${blob}\t.git\n`)).trim()
    const commit = (await git(work, ['commit-tree', evil, '-m', 'evil'])).trim()
    expect(await attempt(work, 'push', 'origin', `${commit}:refs/heads/evil`)).toContain(
      'hasDotgit',
    )
    expect((await fixture.host.head(fixture.repository, branch('evil'))).ok).toBe(false)
  })

  test('need to be somebody to push', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, 'anonymous')
    const work = await clone(fixture, server.url)
    await commitFile(work, 'x', 'x')
    expect(await attempt(work, 'push', 'origin', 'main')).not.toBe('done')
    const url = `${server.url}/${REPOSITORY}`
    const type = { 'content-type': 'application/x-git-receive-pack-request' }
    const responses = [
      await fetch(`${url}/info/refs?service=git-receive-pack`),
      await fetch(`${url}/git-receive-pack`, { method: 'POST', body: '0000', headers: type }),
    ]
    expect(responses.map(({ status }) => status)).toStrictEqual([401, 401])
    expect(fixture.reported).toStrictEqual([])
  })

  test('are in the reflog by name', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, { name: 'Grace\n<evil>', email: 'grace@example.com' })
    const work = await clone(fixture, server.url)
    await commitFile(work, 'x', 'x')
    await git(work, ['push', '--quiet', 'origin', 'main'])
    const log = await readFile(join(fixture.bare, 'logs/refs/heads/main'), 'utf8')
    expect(log.trimEnd().split('\n').at(-1)).toMatch(
      / Grace {2}evil <grace@example.com> \d+ \+0000\tpush$/,
    )
  })
})

describe('local: pushing moves pull requests', () => {
  test('an open one follows its branch, forced or not', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const { number } = await proposal(fixture, 'topic')
    const work = await clone(fixture, server.url, '--branch', 'topic')
    for (const change of [
      ['--allow-empty', '-m', 'more'],
      ['--amend', '--allow-empty', '-m', 'else'],
    ]) {
      await git(work, ['commit', '--quiet', ...change])
      await git(work, ['push', '--quiet', '--force', 'origin', 'topic'])
      const pushed = (await git(work, ['rev-parse', 'HEAD'])).trim()
      const followed = await git(fixture.bare, ['rev-parse', `refs/pull/${number}/head`])
      expect(followed.trim()).toBe(pushed)
      const pull = await show(fixture, number)
      expect([String(pull?.state), String(pull?.head.commit)]).toStrictEqual(['open', pushed])
    }
  })

  test('merging by a push marks it merged, by the merge commit', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const { number } = await proposal(fixture, 'topic')
    const work = await clone(fixture, server.url)
    await commitFile(work, 'before', 'x')
    await git(work, ['merge', '--quiet', '--no-ff', '-m', 'by hand', 'origin/topic'])
    const merge = (await git(work, ['rev-parse', 'HEAD'])).trim()
    await commitFile(work, 'after', 'x')
    await git(work, ['push', '--quiet', 'origin', 'main', ':topic'])
    const pull = await show(fixture, number)
    expect([String(pull?.state), String(pull?.mergeCommit)]).toStrictEqual(['merged', merge])
  })

  test('moving the base forward to it marks it merged by its own commit', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const { number, head } = await proposal(fixture, 'topic')
    const work = await clone(fixture, server.url)
    await git(work, ['merge', '--quiet', '--ff-only', 'origin/topic'])
    await commitFile(work, 'after', 'x')
    await git(work, ['push', '--quiet', 'origin', 'main'])
    const pull = await show(fixture, number)
    expect([pull?.state, pull?.mergeCommit]).toStrictEqual(['merged', head.commit])
  })

  test('deleting the branch closes it', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const { number } = await proposal(fixture, 'topic')
    const work = await clone(fixture, server.url)
    await git(work, ['push', '--quiet', 'origin', ':topic'])
    expect((await show(fixture, number))?.state).toBe('closed')
    const refs = fixture.reported.flatMap(([, changes]) => changes.map(({ ref }) => ref))
    expect(refs.slice(-2)).toStrictEqual(['refs/heads/topic', 'refs/portico/pulls/1'])
  })
})

describe('local: hostile requests', () => {
  const POST = (service: string) => ({
    method: 'POST',
    headers: { 'content-type': `application/x-git-${service}-request` },
  })

  test('for anything but a repository and a service find nothing', async () => {
    await using fixture = await openLocal()
    const statusOf = async (target: string, init: RequestInit = {}) => {
      const request = new Request(`http://localhost${target}`, init)
      return (await fixture.host.serveGit(request, AUTHOR, anythingGoes)).status
    }
    const ask = 'info/refs?service=git-upload-pack'
    for (const target of [
      `/git/acme/none.git/${ask}`,
      `/git/gitops.git/${ask}`,
      `/git/../acme/gitops.git/${ask}`,
      `/git/acme/%2e%2e/gitops.git/${ask}`,
      `/git/acme/..%2fgitops.git/${ask}`,
      `/git/acme/gitops%2egit/${ask}`,
      `/git/acme//gitops.git/${ask}`,
      `/git/acme/.git/${ask}`,
      `/git/acme/...git/${ask}`,
      `/git/-x/gitops.git/${ask}`,
      `/git/acme/gitops.git.git/${ask}`,
      `/git/.new-x/a.git/${ask}`,
      '/git/acme/gitops.git/HEAD',
      '/git/acme/gitops.git/objects/info/packs',
      '/git/acme/gitops.git/config',
    ]) {
      expect([target, await statusOf(target)]).toStrictEqual([target, 404])
    }
    const base = `/git/${REPOSITORY}`
    expect(await statusOf(`${base}/${ask}`)).toBe(200)
    expect(await statusOf(`/git/acme/gitops/${ask}`)).toBe(200)
    expect(await statusOf(`${base}/info/refs`)).toBe(403)
    expect(await statusOf(`${base}/info/refs?service=git-upload-archive`)).toBe(403)
    expect(await statusOf(`${base}/${ask}`, { method: 'POST' })).toBe(405)
    expect(await statusOf(`${base}/git-upload-pack`)).toBe(405)
    expect(await statusOf(`${base}/git-receive-pack`, { method: 'POST', body: '0000' })).toBe(415)
    const packed = { ...POST('upload-pack').headers, 'content-encoding': 'br' }
    const init = { method: 'POST', headers: packed, body: 'x' }
    expect(await statusOf(`${base}/git-upload-pack`, init)).toBe(415)
  })

  test('cannot put more than a version into git-protocol', async () => {
    await using fixture = await openLocal()
    const firstLine = async (protocol: string) => {
      const url = `http://localhost/git/${REPOSITORY}/info/refs?service=git-upload-pack`
      const request = new Request(url, { headers: { 'git-protocol': protocol } })
      const text = await (await fixture.host.serveGit(request, 'anonymous', anythingGoes)).text()
      return text.split('\n')[0]
    }
    expect(await firstLine('version=2')).toBe('000eversion 2')
    expect(await firstLine('version=2:agent=x')).toBe('000eversion 2')
    for (const protocol of ['version=3', 'version=2\tx', 'version=22', 'x']) {
      expect(await firstLine(protocol)).toBe('001e# service=git-upload-pack')
    }
  })

  test('cannot make much out of little', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const { commit } = value(await fixture.host.head(fixture.repository))
    const bomb = Bun.gzipSync(Buffer.from(`0032want ${commit}\n`.repeat(400_000)))
    expect(bomb.length).toBeLessThan(1_000_000)
    const { headers, method } = POST('upload-pack')
    const response = await fetch(`${server.url}/${REPOSITORY}/git-upload-pack`, {
      method,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: bomb,
    })
    expect(response.status).toBe(413)
  })

  test('that are broken are refused', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const { headers, method } = POST('upload-pack')
    const url = `${server.url}/${REPOSITORY}/git-upload-pack`
    const gzip = { ...headers, 'content-encoding': 'gzip' }
    const responses = [
      await fetch(url, { method, headers, body: 'no packet line' }),
      await fetch(url, { method, headers: gzip, body: 'not compressed' }),
      await fetch(url, {
        method,
        headers: gzip,
        body: Bun.gzipSync(Buffer.from('0032want')).subarray(0, 15),
      }),
    ]
    expect(responses.map(({ status }) => status)).toStrictEqual([400, 400, 400])
  })
})

describe('local: a push whose watcher fails', () => {
  const push = (text: string) =>
    new Request(`http://localhost/git/${REPOSITORY}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
      body: text,
    })

  test('gives its place back', async () => {
    await using fixture = await openLocal()
    let pushes = 0
    const serveGit = createSmartHttp({
      locate: async () => ok(fixture.bare),
      async pushed() {
        pushes += 1
        if (pushes <= 20) throw new Error('no watcher')
      },
    })
    for (let count = 0; count < 20; count += 1) {
      expect(await serveGit(push('0000'), AUTHOR, anythingGoes).catch(String)).toBe(
        'Error: no watcher',
      )
    }
    expect(await serveGit(push('0000'), AUTHOR, anythingGoes)).toHaveProperty('status', 200)
  })

  test('after its client has left disturbs nobody', async () => {
    await using fixture = await openLocal()
    const ended = Promise.withResolvers<void>()
    const serveGit = createSmartHttp({
      locate: async () => ok(fixture.bare),
      async pushed() {
        ended.resolve()
        throw new Error('nobody listens')
      },
    })
    const { commit } = value(await fixture.host.head(fixture.repository))
    const none = '0'.repeat(40)
    const command = `${none} ${commit} refs/heads/new\0report-status\n`
    const line = (command.length + 4).toString(16).padStart(4, '0') + command
    const response = await serveGit(push(`${line}0000`), AUTHOR, anythingGoes)
    expect(response.status).toBe(200)
    await response.body?.cancel()
    await ended.promise
    await Bun.sleep(0)
  })
})
