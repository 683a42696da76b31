export type Cell = string | number

/** One column of what `kubectl get` prints. Those of priority 1 are for `-o wide`. */
export interface Column<Kind> {
  readonly name: string
  readonly type: 'string' | 'integer'
  readonly format: '' | 'name'
  readonly priority: 0 | 1
  readonly cell: (object: Kind, now: number) => Cell
}

type CellOf<Kind> = Column<Kind>['cell']

export const text = <Kind>(name: string, cell: CellOf<Kind>): Column<Kind> => ({
  name,
  type: 'string',
  format: '',
  priority: 0,
  cell,
})

export const title = <Kind>(name: string, cell: CellOf<Kind>): Column<Kind> => ({
  ...text(name, cell),
  format: 'name',
})

export const count = <Kind>(name: string, cell: CellOf<Kind>): Column<Kind> => ({
  ...text(name, cell),
  type: 'integer',
})

export const wide = <Kind>(column: Column<Kind>): Column<Kind> => ({ ...column, priority: 1 })
