import { useState } from 'react'

type Layout = 'cards' | 'table'
const place = 'sandglass-sandboxes'

/** How the sandboxes are shown, as this browser remembers it. */
export function useLayout(): readonly [Layout, (layout: Layout) => void] {
  const [layout, setLayout] = useState<Layout>(() =>
    localStorage.getItem(place) === 'table' ? 'table' : 'cards',
  )
  const choose = (chosen: Layout) => {
    localStorage.setItem(place, chosen)
    setLayout(chosen)
  }
  return [layout, choose]
}
