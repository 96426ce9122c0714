import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

const look =
  'w-full rounded-md border border-line-strong bg-raised px-3 text-text placeholder:text-quiet disabled:opacity-50 aria-invalid:border-wrong'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={classes(look, 'h-9', className)} {...rest} />
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={classes(look, 'min-h-20 py-2', className)} {...rest} />
}

/** The select of the browser, which works best on phones and by keyboard. */
export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select className={classes(look, 'h-9 pr-8', className)} {...rest} />
}
