import type { Sandbox } from '@sandglass/protocol'
import { MonitorOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useOrgId } from '../../app/session.ts'
import { sessionFetch } from '../../app/session-fetch.ts'

const everyMs = 1000

/**
 * What is on the screen of a sandbox now. It is asked for every second while it can be seen, and sent only if it has changed.
 */
export function Thumbnail({ sandbox }: { sandbox: Sandbox }) {
  const orgId = useOrgId()
  const isOn = sandbox.status === 'RUNNING' && !sandbox.ended
  const url = useThumbnail(`/api/orgs/${orgId}/sandboxes/${sandbox.id}/thumbnail?width=320`, isOn)
  return (
    <div className="flex aspect-video items-center justify-center overflow-hidden bg-black/80">
      {url ? (
        <img
          src={url}
          alt={`The screen of ${sandbox.name}`}
          className={`size-full object-contain ${isOn ? '' : 'opacity-50'}`}
        />
      ) : (
        <MonitorOff className="size-8 text-white/40" aria-hidden="true" />
      )}
    </div>
  )
}

function useThumbnail(address: string, isOn: boolean): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!isOn) return
    const closing = new AbortController()
    let shown: string | undefined
    const show = (picture: Blob) => {
      const next = URL.createObjectURL(picture)
      if (shown) URL.revokeObjectURL(shown)
      shown = next
      setUrl(next)
    }
    void follow(address, show, closing.signal)
    return () => {
      closing.abort()
      if (shown) URL.revokeObjectURL(shown)
      setUrl(undefined)
    }
  }, [address, isOn])
  return url
}

async function follow(address: string, show: (picture: Blob) => void, signal: AbortSignal): Promise<void> {
  let etag = ''
  while (!signal.aborted) {
    if (document.visibilityState === 'visible') {
      const headers: Record<string, string> = etag ? { 'if-none-match': etag } : {}
      const response = await sessionFetch(address, { headers, signal, cache: 'no-store' }).catch(
        () => undefined,
      )
      if (response?.status === 200) {
        etag = response.headers.get('etag') ?? ''
        const picture = await response.blob().catch(() => undefined)
        if (picture && !signal.aborted) show(picture)
      }
    }
    await new Promise(resolve => setTimeout(resolve, everyMs))
  }
}
