/** The clipboard of this computer, as far as the browser lets the page reach it. */

/** False where it does not: it wants a secure context and the focus, and some browsers a click. */
export async function writeHere(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeBySelection(text)
  }
}

/** Nothing where the browser or the person does not allow it. */
export async function readHere(): Promise<string | undefined> {
  try {
    return await navigator.clipboard.readText()
  } catch {
    return undefined
  }
}

/** Whether it can be read without a question to the person. */
export async function mayRead(): Promise<boolean> {
  try {
    // Not all browsers know this permission; then they throw.
    const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })
    return state === 'granted' && 'clipboard' in navigator
  } catch {
    return false
  }
}

/** The old way, which works without a secure context while a click is being handled. */
function writeBySelection(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  Object.assign(field.style, { position: 'fixed', opacity: '0' })
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return isDone
}
