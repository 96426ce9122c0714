const shownFor = 2000

/** A button on every block of code that puts it into the clipboard. */
export function addCopyButtons(): void {
  // Only pages of HTTPS and of this host have a clipboard.
  if (!isSecureContext) return
  for (const figure of document.querySelectorAll('figure.code')) {
    const code = figure.querySelector('code')?.textContent
    if (!code) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, shownFor)
    })
    figure.append(button)
  }
}
