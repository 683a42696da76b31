import type { ComponentChildren } from 'preact'

export interface Column<Item> {
  readonly label: ComponentChildren
  /** Its width, and from which width of the card it is there. */
  readonly class?: string
  readonly cell: (item: Item, index: number) => ComponentChildren
  /** Of a cell that may be cut. */
  readonly title?: (item: Item) => string | undefined
}

interface DataTableProps<Item> {
  readonly columns: readonly Column<Item>[]
  readonly rows: readonly Item[]
  readonly keyOf: (item: Item) => string
}

/** A table whose card decides which columns it has room for. The first column names the row. */
export const DataTable = <Item,>({ columns, rows, keyOf }: DataTableProps<Item>) => (
  <table class="list words">
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
          {columns.map((column, at) => (
            <td key={at} class={at === 0 ? 'name' : column.class} title={column.title?.(row)}>
              {column.cell(row, index)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
