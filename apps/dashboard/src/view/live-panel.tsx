import { connectLive, type LiveState } from '@sandglass/live'
import type { Connect } from '@sandglass/protocol'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Asked } from './asked.tsx'
import './live.css'
import { LiveModel } from './live-model.ts'
import { Overlay } from './overlay.tsx'
import { Toolbar } from './toolbar.tsx'

export interface LivePanelProps {
  /** Read once, because the view itself keeps the newest ones. Give the panel another `key` for another sandbox. */
  readonly connectDetails: Connect
  readonly freshDetails: () => Promise<Connect>
  /** The name that other viewers see. */
  readonly name: string
  /** The name of the sandbox. */
  readonly title?: string | undefined
  /** When the sandbox ends. */
  readonly expiresAt?: string | undefined
  /** Leaves out what a page around the panel shows itself. */
  readonly isCompact?: boolean | undefined
  /** Returns to where another link can be entered; left out if the page around the panel decides. */
  readonly onLeave?: (() => void) | undefined
  readonly onState?: ((state: LiveState['kind']) => void) | undefined
}

/** The screen of a sandbox with the toolbar and notices around it. It fills its parent. */
export function LivePanel(props: LivePanelProps) {
  const place = useRef<HTMLDivElement>(null)
  const [model, setModel] = useState<LiveModel>()
  const first = useRef(props)
  useEffect(() => {
    if (!place.current) return
    const { connectDetails, freshDetails, name } = first.current
    const opened = new LiveModel(connectLive({ element: place.current, connectDetails, freshDetails, name }))
    setModel(opened)
    return () => opened.close()
  }, [])
  return (
    <section className="sandglass-live" aria-label="Live view">
      <div className="page">
        {model && <Toolbar model={model} isCompact={props.isCompact ?? false} />}
        <div className="screen">
          <div ref={place} className="glass" data-testid="screen" />
          {model && <Around model={model} onLeave={props.onLeave} onState={props.onState} />}
        </div>
      </div>
    </section>
  )
}

interface AroundProps extends Pick<LivePanelProps, 'onLeave' | 'onState'> {
  readonly model: LiveModel
}

function Around({ model, onLeave, onState }: AroundProps) {
  const snapshot = useSyncExternalStore(model.subscribe, model.snapshot)
  const { kind } = snapshot.state
  useEffect(() => onState?.(kind), [kind, onState])
  return (
    <>
      <Overlay snapshot={snapshot} onLeave={onLeave} />
      <Asked model={model} snapshot={snapshot} />
    </>
  )
}
