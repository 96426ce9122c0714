import { type ClassValue, clsx } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Joins classes; of two that contradict each other, the later one counts. */
export function classes(...values: ClassValue[]): string {
  return twMerge(clsx(values))
}
