/** `bun run test`: the tests in parallel, their temporary files in memory. Arguments are those of `bun test`. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
const GIBIBYTE = 1024 ** 3
/** The files of all tests need 1.5 GB; browsers, databases and the tests themselves need memory too. */
const SPACE_MIN_BYTES = 4 * GIBIBYTE
const MEMORY_MIN_BYTES = 6 * GIBIBYTE

/** More than cores: most tests wait for processes, sockets and timers. */
const WORKERS = Math.min(8, availableParallelism() + 1)
/** For one test, on a machine that has much else to do. */
const TIMEOUT_MS = 120_000

/**
 * A new folder in memory, where there is enough of it. Git flushes each commit to the disk, and tests make thousands of
 * repositories: on a disk they take twice as long.
 */
function makeMemoryFolder(): string | undefined {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY)
    const [, kibibytes] = /^MemAvailable: +(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
    const isRoomy =
      type === TMPFS &&
      bavail * bsize >= SPACE_MIN_BYTES &&
      Number(kibibytes) * 1024 >= MEMORY_MIN_BYTES
    if (!isRoomy) return undefined
    const folder = mkdtempSync(join(MEMORY, 'portico-test-'))
    // Servers that root starts for the tests run as users of their own.
    chmodSync(folder, 0o755)
    if (runsPrograms(folder)) return folder
    rmSync(folder, { recursive: true })
  } catch {
    // No Linux.
  }
  return undefined
}

/** Containers often forbid programs there. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  try {
    return Bun.spawnSync([program]).exitCode === 0
  } catch {
    return false
  }
}

const folder =
  (process.env['TMPDIR'] === undefined ? makeMemoryFolder() : undefined) ??
  mkdtempSync(join(tmpdir(), 'portico-test-'))
const child = Bun.spawn(
  [
    process.execPath,
    'test',
    `--parallel=${WORKERS}`,
    // To load the portal again for each file would cost a third of all processor time.
    '--no-isolate',
    `--timeout=${TIMEOUT_MS}`,
    ...process.argv.slice(2),
  ],
  {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['inherit', 'inherit', 'inherit'],
  },
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => child.kill(signal))
}
process.exitCode = await child.exited
rmSync(folder, { recursive: true, force: true })
