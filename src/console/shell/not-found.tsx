import { PATHS } from '../paths.ts'
import { PageHead } from '../ui/page-head.tsx'
import { WORDS } from './words.ts'

export const NotFound = () => (
  <>
    <PageHead title={WORDS.notFound} />
    <p>
      The address may be misspelled. Go <a href={PATHS.home}>home</a>, or{' '}
      <a href={PATHS.catalog}>look in the catalog</a>.
    </p>
  </>
)
