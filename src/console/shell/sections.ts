import { type PageName, PATHS } from '../paths.ts'
import type { IconName } from '../ui/icons.ts'

export interface Section {
  readonly label: string
  readonly icon: IconName
  readonly href: string
  /** Pages of this section. */
  readonly pages: readonly PageName[]
}

export const SECTIONS: readonly Section[] = [
  { label: 'Home', icon: 'home', href: PATHS.home, pages: ['home'] },
  {
    label: 'Catalog',
    icon: 'grid',
    href: PATHS.catalog,
    pages: ['catalog', 'definition', 'docs', 'entity', 'group'],
  },
  {
    label: 'New project',
    icon: 'plus',
    href: PATHS.templates,
    pages: ['templates', 'newProject', 'run'],
  },
  {
    label: 'Clusters',
    icon: 'server',
    href: PATHS.clusters,
    pages: ['clusters', 'namespace', 'pod', 'workload'],
  },
  { label: 'Problems', icon: 'warn', href: PATHS.problems, pages: ['problems'] },
  { label: 'Audit', icon: 'list', href: PATHS.audit, pages: ['audit', 'record'] },
  { label: 'CLI', icon: 'terminal', href: PATHS.cli, pages: ['cli'] },
  { label: 'API', icon: 'book', href: '/docs', pages: [] },
]

/** Pages of the embedded git host, which the server renders. */
export const REPOSITORIES: Section = {
  label: 'Repositories',
  icon: 'branch',
  href: '/git',
  pages: [],
}
