import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

const looks = cva(
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      look: {
        primary: 'bg-accent text-on-accent hover:bg-accent/90',
        plain: 'border border-line-strong bg-raised hover:bg-accent-soft',
        quiet: 'hover:bg-accent-soft',
        danger: 'border border-wrong/50 text-wrong hover:bg-wrong-soft',
      },
      size: { usual: 'h-9 px-3', small: 'h-8 px-2 text-[13px]', icon: 'size-9' },
    },
    defaultVariants: { look: 'plain', size: 'usual' },
  },
)

export interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof looks> {
  /** Gives its look to its only child, such as a link. */
  readonly asChild?: boolean
}

export function Button({ look, size, asChild, className, ...rest }: ButtonProps) {
  const Part = asChild ? Slot.Root : 'button'
  return (
    <Part
      type={asChild ? undefined : 'button'}
      className={classes(looks({ look, size }), className)}
      {...rest}
    />
  )
}
