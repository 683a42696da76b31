import { $ } from 'bun'
import { readdir, utimes } from 'node:fs/promises'
import { createDiskAssetCache } from '#src/lib/adapters/asset-cache/disk.ts'
import { bytesOf, sha256Of, streamOf } from '#tests/support/assets.ts'

/**
 * A process in a mount namespace of its own (`unshare --user --map-root-user --mount`), which ends with it: a cache on a disk
 * of 1 MiB at `<directory>`, that would be allowed far more, and becomes full and then read-only. Prints every answer.
 */
const [directory = ''] = Bun.argv.slice(2)
mount('-t', 'tmpfs', '-o', 'size=1m', 'none', directory)
const cacheWith = (reserveBytes?: number) =>
  createDiskAssetCache({
    directory,
    maxBytes: 1e9,
    ...(reserveBytes !== undefined && { reserveBytes }),
  })
const cache = cacheWith(0)
const { signal } = new AbortController()
const answers: Record<string, unknown> = {}

async function keep(
  seed: number,
  length: number,
  onHalf?: () => Promise<unknown>,
  into = cache,
): Promise<unknown> {
  const bytes = bytesOf(length, seed)
  async function* halves() {
    yield bytes.slice(0, length / 2)
    await onHalf?.()
    yield bytes.slice(length / 2)
  }
  const { stream } = streamOf(onHalf ? halves() : [bytes])
  const kept = await into.keep({ sizeBytes: length, sha256: sha256Of(bytes) }, stream, signal)
  return kept.ok ? 'kept' : kept.error
}
const find = async (seed: number, length: number) => {
  const found = await cache.find(sha256Of(bytesOf(length, seed)))
  return found !== undefined && sha256Of(await found.content.bytes()) === found.sha256
}
const incoming = async () => (await $`ls incoming`.cwd(directory).text()).trim()

answers['small'] = await keep(1, 300_000)
answers['larger than the disk'] = await keep(2, 1_200_000)
for (const name of await readdir(`${directory}/sha256`))
  await utimes(`${directory}/sha256/${name}`, 1, 1)
answers['when others have to go'] = await keep(3, 900_000)
answers['those'] = await find(1, 300_000)
await $`rm sha256/*`.cwd(directory)
answers['filled by somebody else in the middle'] = await keep(4, 900_000, () =>
  $`dd if=/dev/zero of=filler bs=4096`.cwd(directory).quiet().nothrow(),
)
answers['left behind'] = await incoming()
await $`rm filler`.cwd(directory)
answers['with room again'] = await keep(4, 300_000)
answers['into the reserve'] = await keep(5, 300_000, undefined, cacheWith(500_000))
await $`rm sha256/*`.cwd(directory)
answers['that other'] = await keep(4, 600_000, async () => {
  answers['beside another that is not written yet'] = await keep(6, 600_000)
})
answers['into what is left free by itself'] = await keep(7, 300_000, undefined, cacheWith())
await $`rm sha256/*`.cwd(directory)
await keep(4, 300_000)

mount('-o', 'remount,bind,ro', directory)
answers['on a read-only disk'] = await keep(5, 300_000)
answers['read from it'] = await find(4, 300_000)

console.log(JSON.stringify(answers))

function mount(...args: readonly string[]) {
  if (!Bun.spawnSync(['mount', ...args], { stderr: 'inherit' }).success) process.exit(1)
}
