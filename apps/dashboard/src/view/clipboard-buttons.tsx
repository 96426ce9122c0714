import { useState } from 'react'
import { Copy, Paste } from './icons.tsx'
import type { LiveModel, LiveSnapshot } from './live-model.ts'

/** Buttons for browsers that allow clipboard access only on a click. */
export function ClipboardButtons({ model, snapshot }: { model: LiveModel; snapshot: LiveSnapshot }) {
  const { state, lease, sandbox, hasClipboard } = snapshot
  const [said, setSaid] = useState('')
  if (state.kind !== 'live') return undefined
  const copy = async () => setSaid((await model.view.copy()) ? 'Copied' : 'Your browser did not allow it')
  const paste = async () => {
    const isSent = await model.view.paste()
    setSaid(isSent ? 'Sent to the machine' : 'Click the screen and press Ctrl+V')
    // A phone has no key to paste with, so the text goes into the field that has the focus there.
    if (isSent && sandbox?.isPhone) model.view.sendKey('v', ['Control'])
    model.view.focus()
  }
  return (
    <>
      <span className="said" aria-live="polite" key={said}>
        {said}
      </span>
      {state.scope.includes('clipboard:read') && (
        <button
          type="button"
          className="icon"
          title="Copy the machine's clipboard"
          aria-label="Copy the machine's clipboard"
          disabled={!hasClipboard}
          onClick={() => void copy()}
        >
          <Copy />
        </button>
      )}
      {state.scope.includes('clipboard:write') && lease.isMine && (
        <button
          type="button"
          className="icon"
          title="Send your clipboard to the machine"
          aria-label="Send your clipboard to the machine"
          onClick={() => void paste()}
        >
          <Paste />
        </button>
      )}
    </>
  )
}
