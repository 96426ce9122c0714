/** What a person can choose. `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const place = 'sandglass-theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(place)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** What the page shows now. */
export function shownTheme(): 'light' | 'dark' {
  const theme = chosenTheme()
  if (theme !== 'system') return theme
  return dark.matches ? 'dark' : 'light'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(place)
  else localStorage.setItem(place, theme)
  showTheme()
}

/** Also shows the theme that another tab has chosen, or the system. */
export function followTheme(): void {
  showTheme()
  dark.addEventListener('change', showTheme)
  addEventListener('storage', event => event.key === place && showTheme())
}

/** Calls the listener whenever another theme is shown or chosen, until the returned function is called. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function showTheme(): void {
  document.documentElement.dataset['theme'] = shownTheme()
  for (const listener of listeners) listener()
}
