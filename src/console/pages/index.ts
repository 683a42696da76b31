import type { ComponentType } from 'preact'
import type { PageName, PageParameters } from '../paths.ts'

export interface PageProps<Page extends PageName> {
  readonly parameters: PageParameters<Page>
}

type Pages = {
  readonly [Page in PageName]: () => Promise<{ default: ComponentType<PageProps<Page>> }>
}

/** The code of each page is fetched when the page is shown first. */
export const PAGES: Pages = {
  catalog: () => import('./catalog/page.tsx'),
  clusters: () => import('./clusters/page.tsx'),
  namespace: () => import('./clusters/namespace.tsx'),
  pod: () => import('./clusters/pod.tsx'),
  templates: () => import('./new/gallery.tsx'),
  newProject: () => import('./new/project.tsx'),
  run: () => import('./new/run.tsx'),
  entity: () => import('./entity/page.tsx'),
  waiting: () => import('./waiting/page.tsx'),
  problems: () => import('./problems/page.tsx'),
  audit: () => import('./audit/page.tsx'),
  cli: () => import('./cli/page.tsx'),
  sessions: () => import('./sessions/page.tsx'),
}
