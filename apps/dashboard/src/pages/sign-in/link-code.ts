/** The code of a sign-in link, which is removed from the address bar and the history at once. */
let taken: string | undefined

export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code) {
    taken = code
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return taken
}
