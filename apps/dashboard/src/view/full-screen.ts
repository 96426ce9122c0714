/** The Keyboard Lock API, which some browsers lack; there, system keys stay with the browser. */
interface KeyboardLock {
  lock(): Promise<void>
}

function isLock(keyboard: unknown): keyboard is KeyboardLock {
  return typeof keyboard === 'object' && keyboard !== null && 'lock' in keyboard
}

/**
 * Toggles full screen for the live view that contains the element. In full screen the machine also gets keys that the browser otherwise keeps, such as Escape;
 * holding Escape leaves.
 */
export async function enterOrLeaveFullScreen(within: Element): Promise<void> {
  if (document.fullscreenElement) return document.exitFullscreen()
  await within.closest('.sandglass-live')?.requestFullscreen()
  if ('keyboard' in navigator && isLock(navigator.keyboard)) await navigator.keyboard.lock().catch(() => {})
}
