import { chooseTheme, onThemeChange, shownTheme } from '../app/theme.ts'

/** Light or dark, as on the other pages. */
export function addColoursButton(): void {
  const button = document.querySelector<HTMLButtonElement>('button.colours')
  if (!button) return
  const other = () => (shownTheme() === 'dark' ? 'light' : 'dark')
  const show = () => {
    button.textContent = other() === 'dark' ? '☾' : '☀'
    button.setAttribute('aria-label', `Use ${other()} colours`)
  }
  button.addEventListener('click', () => chooseTheme(other()))
  onThemeChange(show)
  show()
  button.hidden = false
}
