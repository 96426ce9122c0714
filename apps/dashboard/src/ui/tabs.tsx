import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'

export interface Tab {
  readonly id: string
  readonly title: string
  /** Rendered only while the tab is shown. */
  readonly content: () => ReactNode
  /** Stays in the page, hidden, once it was shown. */
  readonly isKept?: boolean
}

/** Parts of a page of which one is shown. */
export function Tabs({
  label,
  tabs,
  shown,
  onShow,
}: {
  label: string
  tabs: readonly Tab[]
  shown: string
  onShow: (id: string) => void
}) {
  const seen = useRef(new Set<string>())
  seen.current.add(shown)
  const list = useRef<HTMLDivElement>(null)
  // On narrow screens the tab may be beside what is seen of the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is shown.
  useEffect(() => {
    const tab = list.current?.querySelector('[data-state=active]')
    tab?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [shown])
  return (
    <Radix.Root value={shown} onValueChange={onShow} className="flex min-h-0 flex-col gap-3">
      <Radix.List ref={list} aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ id, title }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-quiet hover:text-text data-[state=active]:border-accent data-[state=active]:text-text"
          >
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content, isKept }) => (
        <Radix.Content
          key={id}
          value={id}
          className="min-h-0"
          {...(isKept && { forceMount: true, hidden: id !== shown })}
        >
          {(id === shown || (isKept && seen.current.has(id))) && content()}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
