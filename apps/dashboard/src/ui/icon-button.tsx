import type { ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { Tip } from './tip.tsx'

/** A button that shows only a picture, and says in words what it does. */
export function IconButton({
  label,
  children,
  ...rest
}: Omit<ButtonProps, 'children'> & { label: string; children: ReactNode }) {
  return (
    <Tip text={label}>
      <Button look="quiet" size="icon" aria-label={label} {...rest}>
        {children}
      </Button>
    </Tip>
  )
}
