import { z } from 'zod'
import { templateLabel } from './labels.ts'

const state = z.enum(['running', 'paused'])
const states = z
  .union([z.array(z.string()), z.string()])
  .transform(given => [given].flat().flatMap(text => text.split(',')))
  .pipe(z.array(state))

/** Which sandboxes a client wants to see. */
export const ListQuery = z.object({
  metadata: z.string().max(10_000).optional(),
  state: states.optional(),
  startedAfter: z.iso.datetime({ offset: true }).optional(),
  template: z.string().max(200).optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  limit: z.coerce.number().int().min(1).max(100).default(100),
  nextToken: z.string().max(1000).optional(),
})
export type ListQuery = z.output<typeof ListQuery>

/** Returns the labels that a sandbox must have, each as `name=value`. */
export function labelsIn({ metadata = '', template }: Pick<ListQuery, 'metadata' | 'template'>): string[] {
  const pairs = [...new URLSearchParams(metadata)].map(
    ([name, value]) => `${decoded(name)}=${decoded(value)}`,
  )
  return template === undefined ? pairs : [...pairs, `${templateLabel}=${template}`]
}

/** Clients encode names and values on their own before they encode the list of them. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
