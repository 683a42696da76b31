import { join } from 'node:path'
import { RunId } from '#src/lib/names.ts'
import type { SecretStore } from '#src/lib/ports/secret-store.ts'
import { ok } from '#src/lib/result.ts'
import { parseJson } from '#src/lib/text/json.ts'

/** The file store has no place for origins. This one keeps those of its entries in files of a folder. */
export function withOrigins(store: SecretStore, folder: string): SecretStore {
  const fileOf = (path: string) => Bun.file(join(folder, path.replaceAll('/', '_')))
  return {
    ...store,
    async label(path, { run }) {
      await Bun.write(fileOf(path), JSON.stringify(run))
      return ok(undefined)
    },
    async describe(path, actor) {
      const found = await store.describe(path, actor)
      if (!found.ok || found.value.kind === 'absent') return found
      const file = fileOf(path)
      if (!(await file.exists())) return found
      return ok({
        ...found.value,
        origin: { run: RunId.parse(parseJson(await file.text())) ?? null },
      })
    },
  }
}
