import { gzipSync } from 'node:zlib'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { listTree } from '#tests/peers/forge/git/trees.ts'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { Refusal } from '../answer.ts'
import { addressOf, type Call, parameter, repositoryOf } from '../call.ts'
import { commitNamed } from '../revisions.ts'
import { fullName } from '../state.ts'

export const archive = {
  async repoGetArchive(call: Call): Promise<Answer> {
    const repository = repositoryOf(call)
    const text = parameter(call, 'archive')
    const name = text.replace(/\.tar\.gz$/, '')
    const commit = await commitNamed(repository, name)
    if (commit === null && !/^[0-9a-f]{40}$/.test(name)) {
      throw new Refusal(404, `unrecognized repository reference: ${name}`)
    }
    if (commit === null) {
      const reason = `failed to stream: exit status 128 - fatal: not a tree object: ${name}`
      throw new Refusal(500, `archive repo ${fullName(repository)}: ${reason}`)
    }
    const wanted = call.state.flavour.filtersArchive ? call.query.getAll('path') : []
    const tree = (await readCommit(repository.git, commit))?.tree ?? ''
    const paths = new Set((await listTree(repository.git, tree, true)).map(({ path }) => path))
    if (wanted.some((path) => !paths.has(path.replace(/\/$/, '')))) {
      throw new Refusal(400, "path doesn't exist or is invalid")
    }
    const prefix = `--prefix=${repository.name}/`
    const tar = await repository.git.git(['archive', prefix, commit, '--', ...wanted])
    const there = addressOf(call, `archive/${commit}.tar.gz?rev=${commit}`)
    const headers = {
      'content-type': 'application/octet-stream',
      link: `<${there}>; rel="immutable"`,
    }
    return { status: 200, headers, body: gzipSync(tar, { level: 1 }) }
  },
}
