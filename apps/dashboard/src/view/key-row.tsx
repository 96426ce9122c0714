import type { PointerEvent } from 'react'
import type { LiveModel, LiveSnapshot } from './live-model.ts'

const modifiers = [
  ['Control', 'Ctrl'],
  ['Alt', 'Alt'],
] as const

const keys = [
  ['Escape', 'Esc', 'Escape'],
  ['Tab', 'Tab', 'Tab'],
  ['ArrowLeft', '←', 'Left'],
  ['ArrowUp', '↑', 'Up'],
  ['ArrowDown', '↓', 'Down'],
  ['ArrowRight', '→', 'Right'],
] as const

/** The keys that on-screen keyboards lack. The on-screen keyboard stays open when they are used. */
export function KeyRow({ model, snapshot }: { model: LiveModel; snapshot: LiveSnapshot }) {
  const { lease, latched, isZoomed } = snapshot
  if (!lease.isMine && !isZoomed) return undefined
  const keepFocus = (event: PointerEvent) => event.preventDefault()
  return (
    <div className="keys touch-only" role="toolbar" aria-label="Keys" onPointerDown={keepFocus}>
      {lease.isMine &&
        modifiers.map(([key, label]) => (
          <button
            key={key}
            type="button"
            aria-pressed={latched.includes(key)}
            onClick={() => model.view.latch(key)}
          >
            {label}
          </button>
        ))}
      {lease.isMine &&
        keys.map(([key, label, name]) => (
          <button key={key} type="button" aria-label={name} onClick={() => model.view.sendKey(key)}>
            {label}
          </button>
        ))}
      {isZoomed && (
        <button type="button" onClick={() => model.view.resetZoom()}>
          Whole screen
        </button>
      )}
    </div>
  )
}
