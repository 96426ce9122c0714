import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'

/** A list of commands that its trigger opens. */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={4}
          className="z-50 max-h-[70dvh] min-w-44 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-shade"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function MenuItem({
  isDanger,
  isDisabled,
  onSelect,
  children,
}: {
  isDanger?: boolean
  isDisabled?: boolean
  onSelect: () => void
  children: ReactNode
}) {
  return (
    <Radix.Item
      disabled={isDisabled ?? false}
      onSelect={onSelect}
      className={classes(
        'flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-accent-soft [&_svg]:size-4',
        isDanger && 'text-wrong',
      )}
    >
      {children}
    </Radix.Item>
  )
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />
}
