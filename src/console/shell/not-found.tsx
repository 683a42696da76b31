import { PATHS } from '../paths.ts'
import { PageHead } from '../ui/page-head.tsx'

export const NotFound = () => (
  <>
    <PageHead title="There is no such page" />
    <p>
      The address may be misspelled. <a href={PATHS.catalog}>Look in the catalog</a>.
    </p>
  </>
)
