import type { Sandbox } from '@sandglass/protocol'
import { useState } from 'react'

/** The sandboxes that were ticked. Those that have ended since do not count. */
export interface Selection {
  readonly ids: readonly string[]
  has(id: string): boolean
  toggle(id: string): void
  clear(): void
}

export function useSelection(sandboxes: readonly Sandbox[]): Selection {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const present = sandboxes.filter(({ id, ended }) => ticked.has(id) && !ended).map(({ id }) => id)
  return {
    ids: present,
    has: id => ticked.has(id),
    toggle: id =>
      setTicked(before => {
        const next = new Set(before)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    clear: () => setTicked(new Set()),
  }
}
