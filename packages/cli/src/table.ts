import type { Style } from './style.ts'
import { cut, widthOf } from './text-width.ts'

export interface Column<Item> {
  readonly title: string
  readonly value: (item: Item) => string
  readonly style?: (text: string, item: Item, style: Style) => string
  /** Only if the terminal is wide enough for all columns. */
  readonly isOptional?: boolean
  readonly isNumber?: boolean
}

interface Room {
  readonly width: number
  readonly style: Style
}

const gap = 2

/** A table with titles. If the terminal is too narrow, optional columns are left out from the right, and then texts are cut. */
export function formatTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  room: Room,
): string {
  const shown = columns.filter(({ value }) => items.some(item => value(item) !== ''))
  while (totalOf(shown, items) > room.width) {
    const last = shown.findLastIndex(({ isOptional }) => isOptional)
    if (last < 0) break
    shown.splice(last, 1)
  }
  const widths = fit(
    shown.map(column => widthOfColumn(column, items)),
    room.width,
  )
  const lines = [
    line(
      shown.map((column, index) => ({
        ...column,
        text: column.title,
        width: widths[index] ?? 0,
        paint: room.style.bold,
      })),
    ),
    ...items.map(item =>
      line(
        shown.map((column, index) => ({
          ...column,
          text: column.value(item),
          width: widths[index] ?? 0,
          paint: (text: string) => column.style?.(text, item, room.style) ?? text,
        })),
      ),
    ),
  ]
  return `${lines.join('\n')}\n`
}

interface Cell {
  readonly text: string
  readonly width: number
  readonly isNumber?: boolean
  readonly paint: (text: string) => string
}

function line(cells: readonly Cell[]): string {
  return cells
    .map(({ text, width, isNumber, paint }) => {
      const short = cut(oneLine(text), width)
      const padding = ' '.repeat(Math.max(0, width - widthOf(short)))
      return isNumber ? padding + paint(short) : paint(short) + padding
    })
    .join(' '.repeat(gap))
    .trimEnd()
}

/** A name that a tenant chose must not move the cursor of whoever lists it. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would obey.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

function widthOfColumn<Item>({ title, value }: Column<Item>, items: readonly Item[]): number {
  return Math.max(widthOf(title), ...items.map(item => widthOf(oneLine(value(item)))))
}

function totalOf<Item>(columns: readonly Column<Item>[], items: readonly Item[]): number {
  return columns.reduce((sum, column) => sum + widthOfColumn(column, items) + gap, -gap)
}

/** Takes from the widest column, one place at a time, until the line fits. */
function fit(widths: number[], room: number): number[] {
  const total = () => widths.reduce((sum, width) => sum + width + gap, -gap)
  while (total() > room) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] ?? 0) <= 4) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
