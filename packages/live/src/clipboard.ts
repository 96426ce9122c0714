/**
 * Writes a text to this computer's clipboard. Returns false if the browser refuses: it requires a secure context and
 * focus, and some browsers require a click.
 */
export async function writeHere(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeBySelection(text)
  }
}

/** The text in this computer's clipboard; undefined if the browser or the person refuses. */
export async function readHere(): Promise<string | undefined> {
  try {
    return await navigator.clipboard.readText()
  } catch {
    return undefined
  }
}

/** Whether the clipboard can be read without asking the person. */
export async function mayRead(): Promise<boolean> {
  try {
    // Browsers that do not know this permission throw.
    const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })
    return state === 'granted' && 'clipboard' in navigator
  } catch {
    return false
  }
}

/** The legacy way, which works without a secure context while a click is being handled. */
function writeBySelection(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  Object.assign(field.style, { position: 'fixed', opacity: '0' })
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return isCopied
}
