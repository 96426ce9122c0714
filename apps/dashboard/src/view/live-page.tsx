import { connectLive } from '@sandglass/live'
import type { Connect } from '@sandglass/protocol'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Asked } from './asked.tsx'
import { tellParent } from './embedding.ts'
import { LiveModel } from './live-model.ts'
import { Overlay } from './overlay.tsx'
import { Toolbar } from './toolbar.tsx'

interface LivePageProps {
  readonly connectDetails: Connect
  readonly freshDetails: () => Promise<Connect>
  readonly name: string
  /**
   * Returns to the form for another link; left out if the page is embedded, because the surrounding page decides then.
   */
  readonly onLeave?: () => void
}

/** The screen of the machine with the toolbar and notices around it. */
export function LivePage(props: LivePageProps) {
  const place = useRef<HTMLDivElement>(null)
  const [model, setModel] = useState<LiveModel>()
  // The connection details are read once, because the view itself keeps the newest ones.
  const first = useRef(props)
  useEffect(() => {
    if (!place.current) return
    const { connectDetails, freshDetails, name } = first.current
    const opened = new LiveModel(connectLive({ element: place.current, connectDetails, freshDetails, name }))
    setModel(opened)
    return () => opened.close()
  }, [])
  return (
    <div className="page">
      {model && <Toolbar model={model} />}
      <main className="screen">
        <div ref={place} className="glass" data-testid="screen" />
        {model && <Around model={model} onLeave={props.onLeave} />}
      </main>
    </div>
  )
}

function Around({ model, onLeave }: { model: LiveModel; onLeave: (() => void) | undefined }) {
  const snapshot = useSyncExternalStore(model.subscribe, model.snapshot)
  const { kind } = snapshot.state
  useEffect(() => tellParent({ type: 'sandglass:state', state: kind }), [kind])
  return (
    <>
      <Overlay snapshot={snapshot} onLeave={onLeave} />
      <Asked model={model} snapshot={snapshot} />
    </>
  )
}
