import { canonicalJson } from '../../../canonical-json.ts'
import type { WorkStep } from './work-step.ts'

/** A step with everything that its result depends on. */
export type KnownStep =
  | Exclude<WorkStep, { file: unknown }>
  /** The content of a file, which may come from a URL, is known by its hash. */
  | { readonly file: { readonly path: string; readonly sha256: string } }
  /** A step that must be done again is never found again. */
  | { readonly once: string }

/**
 * Returns a key for the result of each step: a hash of what the build starts from and of all steps so far. Two builds with the same
 * key had the same input up to that step.
 */
export function chainOf(
  base: string,
  steps: readonly KnownStep[],
  fingerprint: (text: string) => string,
): readonly string[] {
  let key = fingerprint(canonicalJson(['base', base]))
  return steps.map(step => {
    key = fingerprint(canonicalJson([key, step]))
    return key
  })
}
