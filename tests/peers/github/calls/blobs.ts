import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound, unprocessable } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { nodeId } from '../links.ts'
import { refuseEmpty } from './refs.ts'
import { gitUrlOf, isId } from './git-url.ts'

export async function getBlob(call: RepositoryCall): Promise<Answer> {
  const { repository, links, parameters, headers } = call
  await refuseEmpty(repository)
  const id = parameters['file_sha'] ?? ''
  if (!isId(id))
    throw unprocessable(
      'The sha parameter must be exactly 40 characters and contain only [0-9a-f].',
    )
  const bytes = await repository.git.readAs(id, 'blob')
  if (bytes === null) throw notFound()
  if (/application\/vnd\.github(\.v3)?\.raw/.test(headers['accept'] ?? ''))
    return {
      status: 200,
      headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' },
      body: bytes,
    }
  // Lines of sixty characters, as GitHub has them.
  const content = Buffer.from(bytes)
    .toString('base64')
    .replaceAll(/.{1,60}/g, '$&\n')
  return {
    status: 200,
    body: {
      sha: id,
      node_id: nodeId('B', id),
      size: bytes.length,
      url: `${gitUrlOf(links, repository)}/blobs/${id}`,
      content,
      encoding: 'base64',
    },
  }
}

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
