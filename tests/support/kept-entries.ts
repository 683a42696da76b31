import type { OpenBao } from '#tests/peers/openbao.ts'

/** An entry of a store as root sees it. */
export interface KeptEntry {
  /** Below the prefix, which is one folder. */
  readonly path: string
  readonly version: number
  readonly values: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>> | null
}

/** All entries below a prefix. */
export async function entriesOf(openbao: OpenBao, folder: string): Promise<readonly KeptEntry[]> {
  const { json } = await openbao.request('GET', `secret/metadata/${folder}?list=true`)
  const names = (json as { data?: { keys: readonly string[] } }).data?.keys ?? []
  const found = await Promise.all(
    names.map((name) =>
      name.endsWith('/')
        ? entriesOf(openbao, `${folder}${name}`)
        : entryOf(openbao, `${folder}${name}`),
    ),
  )
  return found.flat()
}

async function entryOf(openbao: OpenBao, path: string): Promise<readonly KeptEntry[]> {
  const { data } = (await openbao.must('GET', `secret/data/${path}`)) as {
    data: {
      data: Record<string, string>
      metadata: { version: number; custom_metadata: Record<string, string> | null }
    }
  }
  const { version, custom_metadata: labels } = data.metadata
  return [{ path: path.slice(path.indexOf('/') + 1), version, values: data.data, labels }]
}
