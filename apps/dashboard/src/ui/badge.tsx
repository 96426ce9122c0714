import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

const looks = cva(
  'inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap',
  {
    variants: {
      look: {
        quiet: 'bg-line/60 text-text',
        good: 'bg-good-soft text-good',
        warn: 'bg-warn-soft text-warn',
        wrong: 'bg-wrong-soft text-wrong',
        info: 'bg-info-soft text-info',
        accent: 'bg-accent-soft text-accent',
      },
    },
    defaultVariants: { look: 'quiet' },
  },
)

export function Badge({ look, className, ...rest }: ComponentProps<'span'> & VariantProps<typeof looks>) {
  return <span className={classes(looks({ look }), className)} {...rest} />
}
