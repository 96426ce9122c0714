import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ClipboardButtons } from './clipboard-buttons.tsx'
import { Control } from './control.tsx'
import { Figures } from './figures.tsx'
import { enterOrLeaveFullScreen } from './full-screen.ts'
import { Expand, Gauge, Hourglass, Keyboard } from './icons.tsx'
import type { LiveModel } from './live-model.ts'

const labels = {
  connecting: 'Connecting',
  live: 'Connected',
  reconnecting: 'Reconnecting',
  ended: 'Disconnected',
} as const

/** The bar above the screen. */
export function Toolbar({ model, isCompact }: { model: LiveModel; isCompact: boolean }) {
  const snapshot = useSyncExternalStore(model.subscribe, model.snapshot)
  const [hasFigures, setFigures] = useState(false)
  const bar = useRef<HTMLElement>(null)
  useEffect(() => model.view.on('leave', () => bar.current?.querySelector('button')?.focus()), [model])
  const { state, lease, statistics } = snapshot
  return (
    <header className="bar" ref={bar}>
      <span className={`mark ${state.kind}`} title={labels[state.kind]}>
        <Hourglass />
      </span>
      <Control model={model} snapshot={snapshot} />
      <span className="space" />
      <ClipboardButtons model={model} snapshot={snapshot} />
      {lease.isMine && (
        <button
          type="button"
          className="icon touch-only"
          title="Keyboard"
          aria-label="Show the keyboard"
          onClick={() => model.view.focus()}
        >
          <Keyboard />
        </button>
      )}
      {!isCompact && (
        <button
          type="button"
          className="icon"
          title="Connection"
          aria-label="Connection"
          aria-expanded={hasFigures}
          onClick={() => setFigures(!hasFigures)}
        >
          <Gauge />
        </button>
      )}
      <button
        type="button"
        className="icon"
        title="Full screen"
        aria-label="Full screen"
        onClick={event => void enterOrLeaveFullScreen(event.currentTarget)}
      >
        <Expand />
      </button>
      {hasFigures && <Figures state={state} statistics={statistics} />}
    </header>
  )
}
