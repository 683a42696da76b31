import type { Answer } from '#tests/peers/forge/answer.ts'
import type { RepositoryCall } from '../call.ts'
import { refuseEmpty } from './refs.ts'
import { gitUrlOf } from './git-url.ts'

export async function createBlob(call: RepositoryCall): Promise<Answer> {
  const { repository, links } = call
  await refuseEmpty(repository)
  const { content, encoding = 'utf-8' } = call.body as {
    readonly content: string
    readonly encoding?: string
  }
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8')
  const id = await repository.git.write('blob', bytes)
  const url = `${gitUrlOf(links, repository)}/blobs/${id}`
  return { status: 201, headers: { location: url }, body: { sha: id, url } }
}
