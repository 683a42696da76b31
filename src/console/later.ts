/** Everything that the catalog can be shown without. One file: its parts share most of their code, and compress better together. */
import type { ComponentType } from 'preact'
import { adoptStyle } from './adopt-style.ts'
import style from './later.css' with { type: 'text' }
import audit from './pages/audit/page.tsx'
import record from './pages/audit/record.tsx'
import cli from './pages/cli/page.tsx'
import namespace from './pages/clusters/namespace.tsx'
import clusters from './pages/clusters/page.tsx'
import pod from './pages/clusters/pod.tsx'
import workload from './pages/clusters/workload.tsx'
import definition from './pages/entity/definition.tsx'
import docs from './pages/entity/docs.tsx'
import entity from './pages/entity/page.tsx'
import templates from './pages/new/gallery.tsx'
import newProject from './pages/new/project.tsx'
import run from './pages/new/run.tsx'
import group from './pages/group/page.tsx'
import home from './pages/home/page.tsx'
import problems from './pages/problems/page.tsx'
import sessions from './pages/sessions/page.tsx'
import type { PageName, PageProps } from './paths.ts'

export { FacetChoices } from './pages/catalog/facet-choices.tsx'
export { WaitingCount } from './pages/home/waiting-count.tsx'
export { KeysDialog } from './shell/keys-dialog.tsx'
export { NotFound } from './shell/not-found.tsx'
export { Palette } from './shell/palette/palette.tsx'
export { StaleCatalog } from './ui/stale-catalog.tsx'

adoptStyle(style)

type LaterPage = Exclude<PageName, 'catalog'>

export const PAGES: { readonly [Page in LaterPage]: ComponentType<PageProps<Page>> } = {
  audit,
  cli,
  clusters,
  definition,
  docs,
  entity,
  group,
  home,
  namespace,
  newProject,
  pod,
  problems,
  record,
  run,
  sessions,
  templates,
  workload,
}
