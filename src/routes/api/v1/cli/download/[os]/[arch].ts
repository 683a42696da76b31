import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { findPlatform, platformName, platforms } from '#src/lib/domain/cli/platform.ts'
import { VERSION_MAX_LENGTH, VERSION_PATTERN } from '#src/lib/domain/cli/version.ts'
import { answerDownload, downloadHeaders } from '#src/lib/presenters/cli/download.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { Problem } from '#src/lib/http/problem-schema.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { Ruled } from '#src/lib/schema/ruled.ts'
import { session } from '#src/lib/http/session.ts'

const Word = (example: string) =>
  Ruled('platform', '^[A-Za-z0-9_-]{1,32}$', { examples: [example] })
const params = pathParameters(Type.Object({ os: Word('linux'), arch: Word('amd64') }))

const Query = Type.Object({
  version: Type.Optional(
    Ruled('version', VERSION_PATTERN, {
      maxLength: VERSION_MAX_LENGTH,
      description: 'By default the latest; may be a pre-release',
    }),
  ),
})

const headers = Object.fromEntries(
  Object.entries({
    Range: 'One range of bytes',
    'If-Range': 'ETag of the partial copy',
    'If-Match': 'ETags of acceptable copies',
    'If-None-Match': 'ETags of existing copies',
  }).map(([name, text]) => [name, Type.String({ description: text })]),
)

const content = {
  contentType: 'application/octet-stream',
  schema: Type.String({ format: 'binary' }),
}

const problemContent = {
  contentType: 'application/problem+json',
  schema: Problem,
}

const description = operation({
  id: 'downloadCli',
  tag: 'CLI',
  summary: 'Download the command line client for a platform',
  description:
    'From the latest release, or from `version`. The answer begins when the whole file is fetched and verified, so that the first download of a release begins late. If fetching takes too long, the answer is 503 `asset_pending` with `Retry-After`.',
  query: Query,
  headers,
  responses: {
    200: { description: 'The file', content, headers: downloadHeaders },
    206: {
      description: 'The requested range',
      content,
      headers: { ...downloadHeaders, 'Content-Range': 'Position of the bytes in the file' },
    },
    304: { description: '`If-None-Match` names this file', headers: downloadHeaders },
    412: {
      description: '`If-Match` names another file: `precondition_failed`',
      content: problemContent,
      headers: { ETag: downloadHeaders.ETag },
    },
    416: {
      description: 'The range is outside the file: `range_not_satisfiable`',
      content: problemContent,
      headers: { 'Content-Range': 'Size of the file' },
    },
  },
  problems: [404, 409, 422, 429, 502, 503, 504],
})

const supported = platforms.map(platformName)

export default ({ cli }: Pick<Deps, 'cli'>) => {
  const parseQuery = createQueryParser(Query)

  async function download(request: Request, os: string, arch: string): Promise<Response> {
    const platform = findPlatform(os, arch)
    if (platform === undefined) return problem(request, { kind: 'unsupported_platform', supported })
    const query = parseQuery(request.url)
    if (!query.ok) return problem(request, query.error)
    const found = await cli.find(platform, query.value.version)
    return found.ok ? answerDownload(request, found.value) : problem(request, found.error)
  }

  return new Elysia()
    .use(session)
    .get('', ({ request, params: { os, arch } }) => download(request, os, arch), {
      params,
      ...description,
    })
}
