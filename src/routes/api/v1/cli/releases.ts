import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { CliRelease, exampleRelease, releaseBody } from '#src/lib/presenters/cli/schemas.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listCliReleases',
  tag: 'CLI',
  summary: 'List the versions of the command line client',
  description: 'Sorted by semantic version, newest first, without drafts.',
  tagged: true,
  responses: {
    200: {
      description: 'The releases',
      content: { schema: Type.Array(CliRelease), example: [exampleRelease] },
    },
  },
  problems: [429, 502, 503, 504],
})

export default ({ cli }: Pick<Deps, 'cli'>) =>
  new Elysia().use(session).get(
    '',
    async ({ request }) => {
      const releases = await cli.releases()
      return releases.ok
        ? taggedJson(request, releases.value.map(releaseBody))
        : problem(request, releases.error)
    },
    description,
  )
