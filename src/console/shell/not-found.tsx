import { PATHS } from '../paths.ts'
import { PageHead } from '../ui/page-head.tsx'

export const NotFound = () => (
  <>
    <PageHead title="There is no such page" />
    <p>
      The address may be misspelled. Go <a href={PATHS.home}>home</a>, or{' '}
      <a href={PATHS.catalog}>look in the catalog</a>.
    </p>
  </>
)
