import { componentFile } from './entity.ts'
import { file, type SeedFile } from './file.ts'
import { components, SYSTEM } from './shipping.ts'

/** Mistakes as in a real catalog, for `/api/v1/catalog/problems` to report. */

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

/** A second file of `tracking-web`. Its path sorts after the first one, which is served. */
export const duplicate: readonly SeedFile[] = components
  .filter(({ name }) => name === 'tracking-web')
  .map((row) => ({
    ...componentFile('shipping', SYSTEM, { ...row, description: 'Parcel tracking' }),
    path: file('catalog/shipping/components/web-tracking.yaml', '').path,
  }))
