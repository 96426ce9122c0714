import { useEffect, useRef, useState } from 'react'
import { useShownTheme } from '../../../app/use-theme.ts'
import { ErrorNote } from '../../../ui/notes.tsx'
import type { Box } from '../box.ts'
import type { OpenTerminal } from './open-terminal.ts'
import type { OpenShell } from './use-open-shells.ts'

/** A terminal with a shell. The library for it is loaded when the first one is shown. */
export function ShellTerminal(props: {
  box: Box
  shell: OpenShell
  isForReaders: boolean
  /** Another number takes the focus into the terminal. */
  chosen: number
  onStarted: (shellId: string) => void
  onLeave: () => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const [terminal, setTerminal] = useState<OpenTerminal>()
  const [error, setError] = useState<unknown>()
  const theme = useShownTheme()
  // A terminal is opened once; what it calls back is always the newest.
  const newest = useRef(props)
  newest.current = props
  useEffect(() => {
    let opened: OpenTerminal | undefined
    let isGone = false
    const open = async () => {
      const { openTerminal } = await import('./open-terminal.ts')
      if (isGone || !place.current) return
      const { box, shell, isForReaders } = newest.current
      opened = openTerminal({
        element: place.current,
        box,
        shellId: shell.shellId,
        isReadOnly: shell.isReadOnly,
        isForReaders,
        onStarted: id => newest.current.onStarted(id),
        onLeave: () => newest.current.onLeave(),
      })
      setTerminal(opened)
    }
    open().catch(setError)
    return () => {
      isGone = true
      opened?.close()
    }
  }, [])
  useEffect(() => terminal?.showTheme(theme), [terminal, theme])
  const { chosen } = props
  useEffect(() => {
    if (chosen > 0) terminal?.focus()
  }, [terminal, chosen])
  return (
    <section aria-label={props.shell.title} className="flex flex-col gap-1">
      {error !== undefined && <ErrorNote error={error} />}
      <div className="h-[calc(100dvh-17rem)] min-h-72 overflow-hidden rounded-lg border border-line bg-panel p-2">
        <div ref={place} className="h-full" data-testid="terminal" />
      </div>
      <p className="text-[13px] text-quiet">
        Ctrl+C copies what is selected. Ctrl+V pastes. Ctrl+Alt+Shift leaves the terminal.
      </p>
    </section>
  )
}
