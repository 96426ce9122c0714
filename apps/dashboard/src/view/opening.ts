const storageKey = 'sandglass:invitation'

/** Where the page gets to know from what to show. */
export type Opening =
  | { readonly kind: 'invitation'; readonly code: string }
  | { readonly kind: 'embedded' }
  | { readonly kind: 'form' }

/**
 * By an invitation in the fragment, which no server is sent; it leaves the address bar, and is kept for a reload of this
 * tab. Within another page that page decides: nothing is remembered there, so a stranger's page gets nothing by showing ours.
 */
export function readOpening(): Opening {
  const code = invitationIn(location.hash)
  const isEmbedded = window.parent !== window
  if (code !== undefined) {
    history.replaceState(null, '', location.pathname + location.search)
    if (!isEmbedded) sessionStorage.setItem(storageKey, code)
    return { kind: 'invitation', code }
  }
  if (isEmbedded) return { kind: 'embedded' }
  const kept = sessionStorage.getItem(storageKey)
  return kept === null ? { kind: 'form' } : { kind: 'invitation', code: kept }
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(storageKey)
}

export function keepInvitation(code: string): void {
  sessionStorage.setItem(storageKey, code)
}

/** The code in a link, or the code itself. */
export function invitationIn(text: string): string | undefined {
  const code = text.trim().split('#').at(-1) ?? ''
  return /^[\w.~-]+$/.test(code) ? code : undefined
}
