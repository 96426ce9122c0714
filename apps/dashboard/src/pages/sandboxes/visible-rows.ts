import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useState } from 'react'

/** The rows of a long list that can be seen, and how much room those before and after them take. */
export interface VisibleRows {
  readonly rows: readonly number[]
  readonly before: number
  readonly after: number
}

/** Only rows that can be seen exist, so that hundreds scroll smoothly. All have the same height. */
export function useVisibleRows(
  list: RefObject<HTMLElement | null>,
  count: number,
  height: number,
): VisibleRows {
  const [offset, setOffset] = useState(0)
  const scroller = () => list.current?.closest('main') ?? null
  useLayoutEffect(() => {
    const main = list.current?.closest('main')
    if (!list.current || !main) return
    setOffset(list.current.getBoundingClientRect().top - main.getBoundingClientRect().top + main.scrollTop)
  }, [list])
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: scroller,
    estimateSize: () => height,
    overscan: 3,
    scrollMargin: offset,
  })
  // What was measured for another height does not count any more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on the height only.
  useLayoutEffect(() => virtualizer.measure(), [height])
  const items = virtualizer.getVirtualItems()
  const first = items[0]
  const last = items.at(-1)
  return {
    rows: items.map(({ index }) => index),
    before: first ? first.start - offset : 0,
    after: last ? virtualizer.getTotalSize() - (last.end - offset) : 0,
  }
}
