import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

/** A framed part of a page. */
export function Panel({ className, ...rest }: ComponentProps<'section'>) {
  return <section className={classes('rounded-lg border border-line bg-panel p-4', className)} {...rest} />
}
