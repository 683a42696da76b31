import { addresses } from './config-table/addresses.ts'
import { catalog } from './config-table/catalog.ts'
import { cli } from './config-table/cli.ts'
import { clusters } from './config-table/clusters.ts'
import { data } from './config-table/data.ts'
import { limits } from './config-table/limits.ts'
import { operation } from './config-table/operation.ts'
import { projects } from './config-table/projects.ts'
import { sessions } from './config-table/sessions.ts'

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
} as const
