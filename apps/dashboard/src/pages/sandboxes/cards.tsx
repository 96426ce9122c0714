import type { Sandbox } from '@sandglass/protocol'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { SandboxCard } from './sandbox-card.tsx'
import type { Selection } from './selection.ts'
import { useVisibleRows } from './visible-rows.ts'

const widest = 300
const gap = 12
/** Below the picture of a card. */
const textHeight = 108

export interface SandboxViewProps {
  readonly sandboxes: readonly Sandbox[]
  readonly projects: ReadonlyMap<string, string>
  readonly selection: Selection
}

/** Sandboxes side by side, as many as fit. */
export function Cards({ sandboxes, projects, selection }: SandboxViewProps) {
  const frame = useRef<HTMLElement>(null)
  const width = useWidth(frame)
  const columns = Math.max(1, Math.ceil((width + gap) / (widest + gap)))
  const height = Math.round(((width - gap * (columns - 1)) / columns) * (9 / 16)) + textHeight + gap
  const { rows, before, after } = useVisibleRows(frame, Math.ceil(sandboxes.length / columns), height)
  return (
    <section ref={frame} aria-label="Sandboxes" style={{ paddingTop: before, paddingBottom: after }}>
      {width > 0 &&
        rows.map(row => (
          <div
            key={row}
            className="grid gap-3 pb-3"
            style={{ height, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
          >
            {sandboxes.slice(row * columns, (row + 1) * columns).map(sandbox => (
              <SandboxCard
                key={sandbox.id}
                sandbox={sandbox}
                project={projects.get(sandbox.projectId)}
                isTicked={selection.has(sandbox.id)}
                onTick={() => selection.toggle(sandbox.id)}
              />
            ))}
          </div>
        ))}
    </section>
  )
}

function useWidth(frame: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!frame.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [frame])
  return width
}
