import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { TestPortal } from './portal.ts'

/** Changes of pull requests that the embedded git host has no method for. */

/** Gives a pull request another title or base, as its page on a git host can. */
export async function editPull(
  { repository }: TestPortal,
  number: number,
  change: { readonly title?: string; readonly base?: string },
): Promise<void> {
  const ref = `refs/portico/pulls/${number}`
  const text = await Bun.$`git --git-dir=${repository} cat-file blob ${ref}`.quiet().text()
  const record = JSON.stringify({ ...(JSON.parse(text) as object), ...change })
  const blob = await writeBlob(repository, record)
  await Bun.$`git --git-dir=${repository} update-ref ${ref} ${blob}`.quiet()
}

/** Opens pull requests from new branches `name-<number>`, all at the tip of `from`. */
export async function openMany(
  { repository }: TestPortal,
  { from, first, count }: { readonly from: string; readonly first: number; readonly count: number },
): Promise<void> {
  const revision = async (name: string) =>
    (await Bun.$`git --git-dir=${repository} rev-parse ${name}`.quiet().text()).trim()
  const [tip, openedOn] = [await revision(from), await revision('main')]
  const commands: string[] = []
  for (let number = first; number < first + count; number++) {
    const record = {
      version: 1,
      title: `Change ${number}`,
      body: '',
      author: { name: 'E', email: 'e@e.example' },
      head: `change-${number}`,
      base: 'main',
      openedOn,
      createdAt: 1_700_000_000_000,
      state: { kind: 'open' },
    }
    commands.push(
      `create refs/heads/change-${number} ${tip}`,
      `create refs/pull/${number}/head ${tip}`,
      `create refs/portico/pulls/${number} ${await writeBlob(repository, JSON.stringify(record))}`,
    )
  }
  await updateRefs(repository, commands)
}

const updateRefs = (repository: string, commands: readonly string[]) =>
  Bun.$`git --git-dir=${repository} update-ref --stdin < ${Buffer.from(`${commands.join('\n')}\n`)}`.quiet()

/** Git's object id of a content. A loose object needs no git process. */
async function writeBlob(repository: string, text: string): Promise<string> {
  const content = Buffer.from(text)
  const object = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content])
  const id = new Bun.CryptoHasher('sha1').update(object).digest('hex')
  await Bun.write(join(repository, 'objects', id.slice(0, 2), id.slice(2)), deflateSync(object))
  return id
}
