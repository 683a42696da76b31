import { rawAnswer, RAW_BYTES_MAX, readBytes } from '#src/console/git/file.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { findPlace, placeIn } from '#src/console/git/place.ts'
import { repositoryRoute } from '#src/console/git/repository-page.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** The bytes of a file of a branch or a commit. */
export default repositoryRoute(async (forge, request, id) => {
  const place = await findPlace(forge, id, placeIn(contextOf(request).path))
  if (!place.ok) return forgeProblem(request, place.error)
  const { path } = place.value
  if (path === null) return forgeProblem(request, { kind: 'file_not_found' })
  const bytes = await readBytes(forge, { ...place.value, path }, RAW_BYTES_MAX)
  if (!bytes.ok) return forgeProblem(request, bytes.error)
  if (bytes.value === null) return forgeProblem(request, { kind: 'file_too_large' })
  return rawAnswer(path, bytes.value)
})
