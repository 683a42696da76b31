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

/** Git's object id of a content. A loose object needs no git process. */
async function writeBlob(repository: string, text: string): Promise<string> {
  const content = Buffer.from(text)
  const object = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content])
  const id = new Bun.CryptoHasher('sha1').update(object).digest('hex')
  await Bun.write(join(repository, 'objects', id.slice(0, 2), id.slice(2)), deflateSync(object))
  return id
}
