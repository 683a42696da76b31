import type { ComponentChildren } from 'preact'

export interface Column<Item> {
  readonly label: ComponentChildren
  /** Its width, and from which width of the card it is there. */
  readonly class?: string
  readonly cell: (item: Item, index: number) => ComponentChildren
  /** Tooltip with the whole text of a cell that may be cut. */
  readonly title?: (item: Item) => string | undefined
}

interface DataTableProps<Item> {
  readonly columns: readonly Column<Item>[]
  readonly rows: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** Cells are cut instead of wrapped. */
  readonly isCut?: boolean
}

const NAME = { class: 'name', scope: 'row' } as const

/** A table whose card decides which columns it has room for. The first column names the row. */
export const DataTable = <Item,>({ columns, rows, keyOf, isCut }: DataTableProps<Item>) => (
  <table class={isCut === true ? 'list' : 'list words'}>
    <thead>
      <tr>
        {columns.map((column, at) => (
          <th key={at} scope="col" class={column.class}>
            {column.label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, index) => (
        <tr key={keyOf(row)}>
          {columns.map((column, at) => {
            const Cell = at === 0 ? 'th' : 'td'
            const own = at === 0 ? NAME : { class: column.class }
            return (
              <Cell key={at} {...own} title={column.title?.(row)}>
                {column.cell(row, index)}
              </Cell>
            )
          })}
        </tr>
      ))}
    </tbody>
  </table>
)
