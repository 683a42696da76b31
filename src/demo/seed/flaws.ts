import { componentFile } from './entity.ts'
import { file, type SeedFile } from './file.ts'
import { components, SYSTEM } from './shipping.ts'

/** What goes wrong in a real catalog, so that `/api/v1/catalog/problems` has something to show. */

const WAREHOUSE_FEED = `apiVersion: portico/v1
kind: Resource
metadata:
  name: warehouse-feed
  description: "Stock levels, every five minutes
spec:
  type: topic
  owner: group:acme/shipping
`

export const broken = file('catalog/shipping/resources/warehouse-feed.yaml', WAREHOUSE_FEED)

/** Written when the team renamed its files, and forgotten. Later by path than the one it repeats. */
export const duplicate: readonly SeedFile[] = components
  .filter(({ name }) => name === 'tracking-web')
  .map((row) => ({
    ...componentFile('shipping', SYSTEM, { ...row, description: 'Parcel tracking' }),
    path: file('catalog/shipping/components/web-tracking.yaml', '').path,
  }))
