import type { ComponentProps } from 'react'
import { Select } from '../../ui/input.tsx'

const choices = [
  [900, '15 minutes'],
  [3600, '1 hour'],
  [4 * 3600, '4 hours'],
  [12 * 3600, '12 hours'],
  [86_400, '1 day'],
] as const

/** How long something is valid, in seconds. */
export function LifetimeSelect(props: ComponentProps<'select'>) {
  return (
    <Select {...props}>
      {choices.map(([seconds, title]) => (
        <option key={seconds} value={seconds}>
          {title}
        </option>
      ))}
    </Select>
  )
}
