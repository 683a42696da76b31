import type { Kinds, Resource } from '../objects.ts'
import { columns } from './columns.ts'

/** The part of each object that its row contains (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface TableOptions {
  readonly include: IncludeObject
  readonly now: number
  /** False for every table of a watch but the first. */
  readonly hasColumns: boolean
  readonly metadata: Readonly<Record<string, unknown>>
}

/** `meta.k8s.io/v1` Table: the API server prints the rows of `kubectl get`. Without it kubectl shows names and ages alone. */
export function renderTable<Of extends Resource>(
  resource: Of,
  objects: readonly Kinds[Of][],
  { include, now, hasColumns, metadata }: TableOptions,
) {
  const definitions = columns[resource].map(({ name, type = 'string', isWide }) => ({
    name,
    type,
    format: name === 'Name' ? 'name' : '',
    description: '',
    priority: isWide ? 1 : 0,
  }))
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: hasColumns ? definitions : null,
    rows: objects.map((object) => ({
      cells: columns[resource].map(({ cell }) => cell(object, now)),
      object: includedObject(object, include),
    })),
  }
}

function includedObject(object: Kinds[Resource], include: IncludeObject): object | null {
  if (include === 'None') return null
  if (include === 'Object') return object
  const { metadata } = object
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}
