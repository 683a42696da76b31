/**
 * Downloads of 500 MB through a cold cache against direct downloads from the release host; from a warm cache against nginx with the
 * same file; memory of a hundred clients that do not read. nginx is the release host, curl the client, the portal one
 * executable, as it is deployed. `bun bench/cli.ts [rounds]`
 */
import { createHash } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './support/installation.ts'
import { startNginx } from './support/nginx.ts'

const ROUNDS = Number(process.argv[2] ?? 7)
const MB = 1_000_000
const LARGE_MB = 500
const STALLED = 100
const STALLED_MB = 200
const GOALS = { cold: 0.6, warm: 0.9, peakMb: 90, stalledMb: 100 }

const report = (label: string, value: string) => console.log(`  ${label.padEnd(76)} ${value}`)
const nginxProgram = Bun.which('nginx') ?? Bun.which('nginx', { PATH: '/usr/sbin' })
if (nginxProgram === null) throw new Error('this needs nginx')

const scratch = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const root = join(scratch, 'files')
await mkdir(root)

/** Writes a file of random bytes. Returns `<size>:<digest>`. */
async function makeFile(name: string, megabytes: number): Promise<string> {
  const hash = createHash('sha256')
  for (let written = 0; written < megabytes; written += 1) {
    const part = crypto.getRandomValues(new Uint32Array(MB / 4 / 16))
    const bytes = Buffer.alloc(MB, new Uint8Array(part.buffer))
    hash.update(bytes)
    await appendFile(join(root, name), bytes)
  }
  return `${megabytes * MB}:${hash.digest('hex')}`
}
const large = await makeFile('large', LARGE_MB)
const stalled = await makeFile('stalled', STALLED_MB)
const nginx = await startNginx(nginxProgram, join(scratch, 'nginx'), root)

const executable = join(scratch, 'portal')
const built = await Bun.build({
  entrypoints: ['bench/support/cli-portal.ts', 'src/lib/domain/catalog/parser-worker.ts'],
  compile: { outfile: executable, autoloadDotenv: false, autoloadBunfig: false },
  bytecode: true,
  format: 'esm',
  minify: true,
})
if (!built.success) throw new AggregateError(built.logs, 'the build failed')

interface Memory {
  readonly residentMb: number
  readonly peakMb: number
}

/** Hosts of the file. Those on this machine are not slowed down by a network. */
const sources = [
  { host: 'behind a gigabit', url: `${nginx.wire}/large`, rounds: Math.min(ROUNDS, 3) },
  { host: 'on this machine, TLS', url: `${nginx.tls}/large`, rounds: ROUNDS },
  { host: 'on this machine, plain', url: `${nginx.plain}/large`, rounds: ROUNDS },
]
const PLAIN = 2
const STALLED_RELEASE = sources.length
const offers = [...sources.flatMap(({ url }) => [url, large]), `${nginx.plain}/stalled`, stalled]
const portal = Bun.spawn([executable, scratch, nginx.authorityFile, ...offers], {
  stdin: 'pipe',
  stdout: 'pipe',
  stderr: 'inherit',
})
const lines = portal.stdout.pipeThrough(new TextDecoderStream()).getReader()
const next = async <Line>(): Promise<Line> => JSON.parse((await lines.read()).value ?? '') as Line
async function ask(line: string): Promise<Memory> {
  void portal.stdin.write(`${line}\n`)
  await portal.stdin.flush()
  return next<Memory>()
}
const { port, cookie } = await next<{ port: number; cookie: string }>()
const pathOf = (release: number) => `/api/v1/cli/download/linux/amd64?version=1.${release}.0`
const headers = [`Host: portal.bench`, `Cookie: ${cookie}`]

/** Duration of a download. */
async function seconds(url: string): Promise<number> {
  const command = [
    'curl',
    '-sS',
    '--fail',
    '-o',
    '/dev/null',
    '-w',
    '%{time_total} %{size_download}',
  ]
  const more = [
    '--cacert',
    nginx.authorityFile,
    ...headers.flatMap((header) => ['-H', header]),
    url,
  ]
  const answer = await Bun.spawn([...command, ...more], { stdout: 'pipe' }).stdout.text()
  const [took, size] = answer.split(' ').map(Number)
  if (size !== LARGE_MB * MB && size !== STALLED_MB * MB) throw new Error(`${url}: ${answer}`)
  return took ?? Number.NaN
}
const through = (release: number) => seconds(`http://127.0.0.1:${port}${pathOf(release)}`)

/** Medians of interleaved rounds, as `ours, theirs, ratio of speeds`. */
async function compare(rounds: number, ours: () => Promise<number>, theirs: () => Promise<number>) {
  const took = { ours: [] as number[], theirs: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    took.theirs.push(await theirs())
    took.ours.push(await ours())
  }
  const [our, their] = [median(took.ours), median(took.theirs)]
  return { text: `${our.toFixed(2)} s, ${their.toFixed(2)} s, ${(their / our).toFixed(2)}` }
}

const idle = await ask('')
report('resident MB before any download', idle.residentMb.toFixed(0))
for (const [release, { host, url, rounds }] of sources.entries()) {
  const peaks: number[] = []
  const cold = async () => {
    await ask('forget')
    const took = await through(release)
    peaks.push((await ask('')).peakMb)
    return took
  }
  const { text } = await compare(rounds, cold, () => seconds(url))
  report(`cold, host ${host}: through, directly, ratio (goal ${GOALS.cold})`, text)
  const [first = Number.NaN] = peaks
  const shown = [first, median(peaks), Math.max(...peaks)].map((mb) => mb.toFixed(0))
  report(`  peak resident MB: first, median, worst (goal ${GOALS.peakMb})`, shown.join(', '))
}

const warm = await compare(
  ROUNDS,
  () => through(PLAIN),
  () => seconds(`${nginx.plain}/large`),
)
report(`warm: through, nginx, ratio (goal ${GOALS.warm})`, warm.text)

await through(STALLED_RELEASE)
const before = await ask('')
const sockets = await Promise.all(
  Array.from({ length: STALLED }, async () => {
    const socket: Socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${pathOf(STALLED_RELEASE)} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`),
    )
    await new Promise((resolve) => socket.once('readable', resolve))
    return socket
  }),
)
await Bun.sleep(2_000)
const after = await ask('')
report(
  `${STALLED} stalled downloads of ${STALLED_MB} MB, MB more: now, at most (goal ${GOALS.stalledMb})`,
  `${(after.residentMb - before.residentMb).toFixed(1)}, ${(after.peakMb - before.residentMb).toFixed(1)}`,
)
for (const socket of sockets) socket.destroy()
portal.kill()
await portal.exited
await nginx.stop()
await rm(scratch, { recursive: true, force: true })
