import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createSmartHttp } from '#src/lib/adapters/hosts/forge/smart-http.ts'
import { FLUSH, pktLine } from '#src/lib/adapters/hosts/pkt-lines.ts'
import { ok } from '#src/lib/result.ts'
import { AUTHOR, value, write } from '#tests/contracts/git-host.ts'
import { processesIn } from '#tests/support/processes-in.ts'
import { bombPack } from './bomb-pack.ts'
import { anythingGoes, git, openLocal, REPOSITORY, serve, type LocalFixture } from './open-local.ts'

const OTHER = { name: 'Other', email: 'other@example.com' }
const PLACES = 4
const WAITING = 16

const post = (service: string, body: ReadableStream | Buffer, signal?: AbortSignal) => ({
  method: 'POST',
  headers: { 'content-type': `application/x-git-${service}-request` },
  body,
  ...(signal && { signal }),
})

/** A body that begins and never ends. */
const endless = () =>
  new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('00')) })

const statusOf = (answer: Promise<Response>) =>
  answer.then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 'gone',
  )

/** The endpoint alone, with little patience. */
const impatientHost = ({ bare }: LocalFixture, patienceMs: number) => ({
  serveGit: createSmartHttp({
    locate: async () => ok(bare),
    pushed: async () => {},
    patienceMs,
  }),
})

const impatient = (fixture: LocalFixture, patienceMs: number) =>
  serve(impatientHost(fixture, patienceMs), AUTHOR)

describe('local: transfers', () => {
  test('of one person that never end keep nobody else out', async () => {
    await using fixture = await openLocal()
    await using mine = serve(fixture.host, AUTHOR)
    await using theirs = serve(fixture.host, OTHER)
    const controller = new AbortController()
    const { signal } = controller
    const hang = () =>
      statusOf(
        fetch(
          `${mine.url}/${REPOSITORY}/git-receive-pack`,
          post('receive-pack', endless(), signal),
        ),
      )
    const hanging = Array.from({ length: PLACES + WAITING + 1 }, hang)
    expect(await Promise.race(hanging)).toBe(429)

    await git(fixture.scratch, ['clone', '--quiet', `${theirs.url}/${REPOSITORY}`, 'clone'])
    const listed = () => fetch(`${mine.url}/${REPOSITORY}/info/refs?service=git-upload-pack`)
    expect((await listed()).status).toBe(429)
    controller.abort()
    const ends = await Promise.all(hanging)
    expect(ends.filter((end) => end === 'gone')).toBeArrayOfSize(PLACES + WAITING)
    expect((await listed()).status).toBe(200)
  })

  test('and lists of refs wait for one another', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const url = `${server.url}/${REPOSITORY}/info/refs?service=git-upload-pack`
    const statuses = await Promise.all(
      Array.from({ length: PLACES + WAITING }, () => statusOf(fetch(url))),
    )
    expect(new Set(statuses)).toStrictEqual(new Set([200]))
  })

  test('end when a client stops sending', async () => {
    await using fixture = await openLocal()
    await using server = impatient(fixture, 100)
    for (const service of ['receive-pack', 'upload-pack']) {
      const url = `${server.url}/${REPOSITORY}/git-${service}`
      expect((await fetch(url, post(service, endless()))).status).toBe(408)
    }
  })

  test('end when a client stops reading', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const { commit, branch } = value(await host.head(repository))
    const large = crypto.getRandomValues(new Uint8Array(65_536))
    const changes = Array.from({ length: 200 }, (_, index) => {
      const bytes = new Uint8Array(large)
      new DataView(bytes.buffer).setUint32(0, index)
      return { ...write(`large/${index}`, ''), bytes }
    })
    const from = { kind: 'advance', expected: commit } as const
    const head = value(
      await host.commit(repository, { branch, from, changes, message: 'large', author: AUTHOR }),
    )

    await using server = impatient(fixture, 100)
    const { port } = new URL(server.url)
    const want = `${pktLine(`want ${head.commit} no-progress\n`)}${FLUSH}${pktLine('done\n')}`
    const text = [
      `POST /git/${REPOSITORY}/git-upload-pack HTTP/1.1`,
      'host: localhost',
      'content-type: application/x-git-upload-pack-request',
      `content-length: ${want.length}`,
      '',
      want,
    ].join('\r\n')
    const open = async () => {
      const beginning = Promise.withResolvers<void>()
      const socket = await Bun.connect({
        hostname: '127.0.0.1',
        port: Number(port),
        socket: {
          open: (each) => void each.write(text),
          data(each) {
            each.pause()
            beginning.resolve()
          },
        },
      })
      await beginning.promise
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: PLACES }, open))
    const url = `${server.url}/${REPOSITORY}/info/refs?service=git-upload-pack`
    expect((await fetch(url)).status).toBe(200)
    for (const socket of sockets) socket.terminate()

    // To who reads on too late the answer does not look complete.
    const request = new Request(`${server.url}/${REPOSITORY}/git-upload-pack`, {
      ...post('upload-pack', Buffer.from(want)),
    })
    const late = await impatientHost(fixture, 1).serveGit(request, AUTHOR, anythingGoes)
    await Bun.sleep(20)
    const outcome = await late.arrayBuffer().catch((cause: unknown) => String(cause))
    expect(outcome).toBe('Error: git was stopped')
  })
})

describe('local: a push that unpacks to very much', () => {
  const command = (capabilities: string) =>
    pktLine(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x\0report-status ${capabilities}`)
  const pushOf = (pack: Buffer, capabilities = '') =>
    Buffer.concat([Buffer.from(`${command(capabilities)}${FLUSH}`), pack])

  test('is refused before it is unpacked', async () => {
    await using fixture = await openLocal()
    await using server = serve(fixture.host, AUTHOR)
    const pack = bombPack({ deltas: 1, copies: 600 })
    expect(pack.length).toBeLessThan(300)
    const url = `${server.url}/${REPOSITORY}/git-receive-pack`
    const answer = await (await fetch(url, post('receive-pack', pushOf(pack)))).text()
    expect(answer).toContain('unpack index-pack abnormal exit')
    const whole = bombPack({ deltas: 0, copies: 0, first: 40_000_000 })
    const again = await (await fetch(url, post('receive-pack', pushOf(whole)))).text()
    expect(again).toContain('unpack index-pack abnormal exit')
    const small = bombPack({ deltas: 1, copies: 60 })
    const kept = await (await fetch(url, post('receive-pack', pushOf(small)))).text()
    expect(kept).toContain('unpack ok')
  })

  test.skipIf(process.platform !== 'linux')(
    'leaves no process behind when its client leaves',
    async () => {
      await using fixture = await openLocal()
      await using server = serve(fixture.host, AUTHOR)
      const controller = new AbortController()
      const pack = bombPack({ deltas: 100, copies: 450 })
      const url = `${server.url}/${REPOSITORY}/git-receive-pack`
      const push = post('receive-pack', pushOf(pack, 'quiet'), controller.signal)
      const answer = statusOf(fetch(url, push))
      while ((await processesIn(fixture.bare)).length < 2) await Bun.sleep(10)
      controller.abort()
      expect(await answer).toBe('gone')
      while ((await processesIn(fixture.bare)).length > 0) await Bun.sleep(10)
    },
  )
})

test('local: a clone compares no large files, which takes memory', async () => {
  await using fixture = await openLocal()
  await using server = serve(fixture.host, AUTHOR)
  const { host, repository, scratch } = fixture
  const large = crypto.getRandomValues(new Uint8Array(65_536))
  const bytes = Buffer.concat(Array.from({ length: 20 }, () => large))
  for (const name of ['one', 'two']) {
    const { commit, branch } = value(await host.head(repository))
    const changes = [{ ...write(name, ''), bytes: Buffer.concat([bytes, Buffer.from(name)]) }]
    const from = { kind: 'advance', expected: commit } as const
    value(await host.commit(repository, { branch, from, changes, message: name, author: AUTHOR }))
  }
  await git(scratch, ['clone', '--quiet', '--bare', `${server.url}/${REPOSITORY}`, 'copy.git'])
  const packs = await readdir(join(scratch, 'copy.git/objects/pack'))
  const index = packs.find((name) => name.endsWith('.idx')) ?? ''
  const listed = await git(scratch, ['verify-pack', '-v', `copy.git/objects/pack/${index}`])
  const ofLarge = listed.split('\n').filter((line) => Number(line.split(/ +/)[2]) > 1_000_000)
  expect(ofLarge).toBeArrayOfSize(2)
})
