import { Accessibility } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { IconButton } from '../../../ui/icon-button.tsx'

const place = 'sandglass-terminal-reader'
const listeners = new Set<() => void>()

/** Whether terminals are read aloud, which costs some speed. The browser remembers it. */
export function useScreenReader(): boolean {
  return useSyncExternalStore(
    onChange => {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    () => localStorage.getItem(place) === 'true',
  )
}

export function ScreenReaderSwitch() {
  const isOn = useScreenReader()
  const change = () => {
    localStorage.setItem(place, String(!isOn))
    for (const listener of listeners) listener()
  }
  return (
    <IconButton
      label="Screen reader mode"
      aria-pressed={isOn}
      className="ml-auto aria-pressed:bg-accent-soft"
      onClick={change}
    >
      <Accessibility />
    </IconButton>
  )
}
