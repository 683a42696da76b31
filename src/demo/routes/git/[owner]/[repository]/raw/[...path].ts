import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { rawAnswer, RAW_BYTES_MAX } from '#src/demo/pages/raw.ts'
import { readBytes } from '#src/demo/pages/file.ts'
import { findPlace, placeIn } from '#src/demo/pages/place.ts'
import { repositoryParams as params } from '#src/demo/repository-params.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** The bytes of a file of a branch or a commit. */
export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
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
