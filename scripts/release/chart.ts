import { join } from 'node:path'
import { headerOf, paddingOf } from '#src/cli/backup/archive.ts'

const CHART = 'deploy/helm/portico'
/** Two empty blocks end a tar file. */
const END_BYTES = 1_024

/** The Helm chart as a package: the same bytes for the same files, which `helm package` does not promise. */
export async function packChart(): Promise<Uint8Array<ArrayBuffer>> {
  const names = await Array.fromAsync(new Bun.Glob('**/*').scan(CHART))
  const parts: Uint8Array[] = []
  for (const name of names.toSorted()) {
    const content = await Bun.file(join(CHART, name)).bytes()
    parts.push(headerOf(`portico/${name}`, content.length), content)
    parts.push(new Uint8Array(paddingOf(content.length)))
  }
  return Bun.gzipSync(Buffer.concat([...parts, new Uint8Array(END_BYTES)]))
}
