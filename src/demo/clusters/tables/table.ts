import type { Kinds, Resource } from '../objects.ts'
import { columns } from './columns.ts'

/** How much of the objects themselves a table carries. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface TableOptions {
  readonly include: IncludeObject
  readonly now: number
  /** In a watch only the first table names them. */
  readonly withColumns: boolean
  readonly metadata: Readonly<Record<string, unknown>>
}

/** `meta.k8s.io/v1` Table: the lines of kubectl, made by the server. */
export function renderTable<Of extends Resource>(
  resource: Of,
  objects: readonly Kinds[Of][],
  { include, now, withColumns, metadata }: TableOptions,
) {
  const all = columns[resource]
  const definitions = all.map(({ name, type, format, priority }) => ({
    name,
    type,
    format,
    description: '',
    priority,
  }))
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: withColumns ? definitions : null,
    rows: objects.map((object) => ({
      cells: all.map(({ cell }) => cell(object, now)),
      object: shownObject(object, include),
    })),
  }
}

function shownObject(object: Kinds[Resource], include: IncludeObject): object | null {
  switch (include) {
    case 'None':
      return null
    case 'Object':
      return object
    case 'Metadata': {
      const { metadata } = object
      return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
    }
  }
}
