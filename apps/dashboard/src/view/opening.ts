const storageKey = 'sandglass:invitation'

/** How the page was opened, and so where its connection details come from. */
export type Opening =
  | { readonly kind: 'invitation'; readonly code: string }
  | { readonly kind: 'embedded' }
  | { readonly kind: 'form' }

/**
 * Reads an invitation from the URL fragment, which is not sent to any server. It is removed from the address bar and
 * kept for a reload of this tab. Inside another page that page decides, and nothing is stored, so that a malicious page
 * gets nothing by embedding this one.
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

/** The code in an invitation link, or the code itself. */
export function invitationIn(text: string): string | undefined {
  const code = text.trim().split('#').at(-1) ?? ''
  return /^[\w.~-]+$/.test(code) ? code : undefined
}
