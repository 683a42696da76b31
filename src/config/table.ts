import { addresses } from './table/addresses.ts'
import { catalog } from './table/catalog.ts'
import { cli } from './table/cli.ts'
import { clusters } from './table/clusters.ts'
import { data } from './table/data.ts'
import { limits } from './table/limits.ts'
import { operation } from './table/operation.ts'
import { projects } from './table/projects.ts'
import { sessions } from './table/sessions.ts'
import { traces } from './table/traces.ts'

/**
 * Settings of every installation, by subject. Their parsers load no schema library, because they run before the socket listens.
 */
export const subjects = {
  Addresses: addresses,
  Data: data,
  'Sessions and roles': sessions,
  Limits: limits,
  Catalog: catalog,
  'Projects and promotion': projects,
  Clusters: clusters,
  'Command line client': cli,
  Operation: operation,
  Traces: traces,
} as const

export const settings = {
  ...addresses,
  ...data,
  ...sessions,
  ...limits,
  ...catalog,
  ...projects,
  ...clusters,
  ...cli,
  ...operation,
  ...traces,
} as const
