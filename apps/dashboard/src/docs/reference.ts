import { use } from 'react'
import type { Reference } from './reference-data.ts'

let loading: Promise<Reference> | undefined

/** The details of all operations, which are loaded after the list of them is shown. */
export function useReference(): Reference {
  loading ??= import('virtual:reference').then(({ reference }) => reference)
  return use(loading)
}
