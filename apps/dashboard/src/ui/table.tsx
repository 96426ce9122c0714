import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Left out on narrow screens. */
  readonly isExtra?: boolean
  readonly isNumber?: boolean
}

/** A table of things. On narrow screens it scrolls sideways and leaves out what is extra. */
export function Table<Row>({
  label,
  rows,
  columns,
  idOf,
}: {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
}) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-panel"
    >
      <table className="w-full text-left">
        <thead className="border-b border-line text-[13px] text-quiet">
          <tr>
            {columns.map(column => (
              <th key={column.title} scope="col" className={cellLook(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={idOf(row)} className="border-b border-line last:border-0 hover:bg-accent-soft/40">
              {columns.map(column => (
                <td key={column.title} className={cellLook(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function cellLook<Row>({ isExtra, isNumber }: Column<Row>): string {
  return classes(
    'px-3 py-2 align-middle',
    isExtra && 'hidden md:table-cell',
    isNumber && 'text-right tabular-nums',
  )
}
