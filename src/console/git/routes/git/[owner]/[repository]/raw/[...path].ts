import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { rawAnswer, RAW_BYTES_MAX } from '#src/console/git/raw.ts'
import { readBytes } from '#src/console/git/file.ts'
import { findPlace, placeIn } from '#src/console/git/place.ts'
import { repositoryParams as params } from '#src/console/git/repository-params.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** The bytes of a file of a branch or a commit. */
export default ({ forge }: Pick<GitPageDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      const id = { owner, name: repository }
      const place = await findPlace(forge, id, placeIn(contextOf(request).path))
      if (!place.ok) return forgeProblem(request, place.error)
      const { path } = place.value
      if (path === null) return forgeProblem(request, { kind: 'file_not_found' })
      const bytes = await readBytes(forge, { ...place.value, path }, RAW_BYTES_MAX)
      if (!bytes.ok) return forgeProblem(request, bytes.error)
      if (bytes.value === null) return forgeProblem(request, { kind: 'file_too_large' })
      return rawAnswer(path, bytes.value)
    },
    { params },
  )
