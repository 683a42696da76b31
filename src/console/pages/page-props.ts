import type { PageName, PageParameters } from '../paths.ts'

export interface PageProps<Page extends PageName> {
  readonly parameters: PageParameters<Page>
}
