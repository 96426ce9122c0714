/** What the fragment of the address has brought: the code of a sign-in link, or why the issuer did not sign the person in. */
interface Brought {
  readonly code?: string
  readonly error?: string
}

let brought: Brought = {}

/** The fragment is removed from the address bar and the history at once. */
export function takeFragment(): Brought {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [code, error] = [fragment.get('code'), fragment.get('error')]
  if (code || error) {
    brought = { ...(code && { code }), ...(error && { error }) }
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return brought
}
