import { $ } from 'bun'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { SHOP } from '#tests/support/secret-entries.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'

/**
 * A process in a mount namespace of its own (`unshare --user --map-root-user --mount`), which ends with it: a store on a disk
 * of 256 KiB at `<directory>`, that becomes full and then read-only. Prints every answer.
 */
const [directory = ''] = Bun.argv.slice(2)
mount('-t', 'tmpfs', '-o', 'size=256k', 'none', directory)
const store = createFileSecretStore({ directory, keyring: keyringOf(KEY_1) })
const files = async () => (await $`find . -type f`.cwd(directory).text()).trim()
const answers: Record<string, unknown> = {}

answers['small'] = await store.merge(SHOP, 0, { A: 'a' }, SERVICE)
answers['larger than the disk'] = await store.merge(SHOP, 1, { B: 'b'.repeat(300_000) }, SERVICE)
answers['afterwards'] = await store.describe(SHOP, SERVICE)
answers['files afterwards'] = await files()

await $`dd if=/dev/zero of=filler bs=4096`.cwd(directory).quiet().nothrow()
answers['small, on a full disk'] = await store.merge(SHOP, 1, { B: 'b' }, SERVICE)
await $`rm filler`.cwd(directory)
answers['files of a full disk'] = await files()
answers['with room again'] = await store.merge(SHOP, 1, { B: 'b' }, SERVICE)

mount('-o', 'remount,bind,ro', directory)
answers['on a read-only disk'] = await store.merge(SHOP, 2, { C: 'c' }, SERVICE)
answers['read from it'] = await store.describe(SHOP, SERVICE)

console.log(JSON.stringify(answers))

function mount(...args: readonly string[]) {
  if (!Bun.spawnSync(['mount', ...args], { stderr: 'inherit' }).success) process.exit(1)
}
