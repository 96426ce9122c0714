import type { Terminal } from '@xterm/xterm'

/** Copying, pasting and leaving by keyboard. Every other key belongs to the shell. */
export function handleKeys(terminal: Terminal, onLeave: () => void): void {
  terminal.attachCustomKeyEventHandler(event => {
    if (event.type !== 'keydown') return true
    if (event.ctrlKey && event.altKey && event.shiftKey) {
      onLeave()
      return false
    }
    if (event.ctrlKey && !event.altKey && event.code === 'KeyC' && terminal.hasSelection()) {
      event.preventDefault()
      void navigator.clipboard.writeText(terminal.getSelection())
      terminal.clearSelection()
      return false
    }
    // The browser pastes; otherwise the shell would get the control character.
    return !(event.ctrlKey && !event.altKey && event.code === 'KeyV')
  })
}
