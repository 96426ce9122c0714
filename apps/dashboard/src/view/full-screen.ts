/** Not in every browser; there the keys stay with it. */
interface KeyboardLock {
  lock(): Promise<void>
}

function isLock(keyboard: unknown): keyboard is KeyboardLock {
  return typeof keyboard === 'object' && keyboard !== null && 'lock' in keyboard
}

/** In full screen the machine gets the keys that the browser keeps otherwise, such as Escape; holding that leaves. */
export async function enterOrLeaveFullScreen(): Promise<void> {
  if (document.fullscreenElement) return document.exitFullscreen()
  await document.documentElement.requestFullscreen()
  if ('keyboard' in navigator && isLock(navigator.keyboard)) await navigator.keyboard.lock().catch(() => {})
}
