import { useSyncExternalStore } from 'react'

/** What the page shows. It is in the fragment of its address, so that everything can be linked to. */
export type Place =
  | { readonly kind: 'start' }
  | { readonly kind: 'operation'; readonly id: string }
  | { readonly kind: 'errors'; readonly code?: string }
  | { readonly kind: 'events'; readonly type?: string }

export function placeIn(hash: string): Place {
  const [kind, name] = hash.replace(/^#\/?/, '').split('/').map(decode)
  if (kind === 'operations' && name) return { kind: 'operation', id: name }
  if (kind === 'errors') return { kind: 'errors', ...(name && { code: name }) }
  if (kind === 'events') return { kind: 'events', ...(name && { type: name }) }
  return { kind: 'start' }
}

export const operationLink = (id: string) => `#/operations/${id}`
export const errorLink = (code: string) => `#/errors/${code}`
export const eventLink = (type: string) => `#/events/${type}`

export function usePlace(): Place {
  return placeIn(useSyncExternalStore(subscribe, () => location.hash))
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}

/** People paste all kinds of addresses. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
