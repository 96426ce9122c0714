import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useCall } from './calls.ts'
import { type ServiceEvent, useServiceEvents } from './live-updates.ts'
import { usePerson } from './session.ts'

/** Says in the title of the tab, and with a notification of the browser, that a person is needed. */
export function useAttention(): void {
  const { kind } = usePerson()
  const { data = [] } = useQuery({ ...useCall('listSandboxes', {}), enabled: kind !== 'operator' })
  const count = data.filter(({ personNeeded }) => personNeeded).length
  useEffect(() => markTitle(count), [count])
  const queries = useQueryClient()
  const notify = useCallback(
    (event: ServiceEvent) => {
      if (event.type !== 'sandbox.control.requested' || !('Notification' in window)) return
      if (Notification.permission !== 'granted') return
      const known = queries.getQueriesData<typeof data>({ queryKey: ['listSandboxes'] })
      const sandbox = known.flatMap(([, list]) => list ?? []).find(({ id }) => id === event.subject)
      const message = event.data['message']
      const notification = new Notification(`A person is needed in ${sandbox?.name ?? 'a sandbox'}`, {
        ...(typeof message === 'string' && { body: message }),
        tag: event.subject,
      })
      notification.onclick = () => {
        window.focus()
        location.assign(`/sandboxes/${encodeURIComponent(event.subject)}`)
      }
    },
    [queries],
  )
  useServiceEvents(notify)
}

/** Pages set the title themselves, so the mark is put in front of whatever it is. */
function markTitle(count: number): (() => void) | undefined {
  if (count === 0) return undefined
  const mark = `(${count}) `
  const show = () => {
    if (!document.title.startsWith(mark)) document.title = mark + document.title.replace(/^\(\d+\) /, '')
  }
  show()
  const observer = new MutationObserver(show)
  const title = document.querySelector('title')
  if (title) observer.observe(title, { childList: true })
  return () => {
    observer.disconnect()
    document.title = document.title.replace(/^\(\d+\) /, '')
  }
}
