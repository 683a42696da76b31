import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { keyringOf } from '#tests/support/fixed-keyring.ts'
import { mergeAnyhow, SHOP } from '#tests/support/secret-entries.ts'

/** A process of its own that writes one key after the other, and says each: `<database> <keys> <prefix> <count>`. */
const [url = '', keys = '', prefix = '', count = ''] = Bun.argv.slice(2)
const database = await openDatabase(url)
if (!database.ok) throw new Error(database.error.reason)
const versions = () => database.value.secretVersions
const store = createFileSecretStore({ versions, keyring: keyringOf(keys), versionsKept: 1 })

for (let index = 0; index < Number(count); index += 1) {
  const key = `${prefix}${index}`
  await mergeAnyhow(store, SHOP, { [key]: `${key} `.repeat(100) })
  console.log(key)
}
