import type { LiveState } from '@sandglass/live'
import type { Connect } from '@sandglass/protocol'
import { type ReactNode, useEffect, useState } from 'react'
import { onConnectMessage, renewByParent, tellParent } from './embedding.ts'
import { redeem } from './invitation.ts'
import './live.css'
import { LivePanel } from './live-panel.tsx'
import { Notice } from './notice.tsx'
import { OpenForm } from './open-form.tsx'
import { forgetInvitation, keepInvitation, type Opening, readOpening } from './opening.ts'

const opening = readOpening()

/** Shows the form, the invitation or the embedded view, depending on how the page was opened. */
export function App() {
  const [how, setHow] = useState<Opening>(opening)
  const open = (code: string) => {
    keepInvitation(code)
    setHow({ kind: 'invitation', code })
  }
  const leave = () => {
    forgetInvitation()
    setHow({ kind: 'form' })
  }
  if (how.kind === 'form')
    return (
      <Centered>
        <OpenForm onOpen={open} />
      </Centered>
    )
  return how.kind === 'embedded' ? <Embedded /> : <Invited key={how.code} code={how.code} onLeave={leave} />
}

function Invited({ code, onLeave }: { code: string; onLeave: () => void }) {
  const [details, setDetails] = useState<Connect>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isCurrent = true
    redeem(code).then(
      found => isCurrent && setDetails(found),
      (error: unknown) => isCurrent && setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [code])
  if (problem !== undefined)
    return (
      <Centered>
        <Notice title="This invitation cannot be opened" detail={problem}>
          <button type="button" className="primary" onClick={onLeave}>
            Use another link
          </button>
        </Notice>
      </Centered>
    )
  if (!details)
    return (
      <Centered>
        <Notice title="Opening the invitation" isBusy />
      </Centered>
    )
  return (
    <LivePanel
      connectDetails={details}
      freshDetails={() => redeem(code)}
      name={ownName()}
      onLeave={onLeave}
      onState={tellState}
    />
  )
}

function Embedded() {
  const [given, setGiven] = useState<{ connectDetails: Connect; name: string }>()
  useEffect(() => {
    const stop = onConnectMessage(({ connectDetails, name = ownName() }) =>
      // Later messages only renew the token, which the view requests itself.
      setGiven(before => before ?? { connectDetails, name }),
    )
    tellParent({ type: 'sandglass:ready' })
    return stop
  }, [])
  if (!given)
    return (
      <Centered>
        <Notice title="Waiting for the page that shows this view" isBusy />
      </Centered>
    )
  return <LivePanel {...given} freshDetails={renewByParent} onState={tellState} />
}

/** A notice or a form in place of the live view. */
function Centered({ children }: { children: ReactNode }) {
  return <main className="sandglass-live centered">{children}</main>
}

function tellState(state: LiveState['kind']): void {
  tellParent({ type: 'sandglass:state', state })
}

/** The name that other viewers see, from the `name` parameter of the page's address. */
function ownName(): string {
  return (new URLSearchParams(location.search).get('name') ?? '').slice(0, 100)
}
