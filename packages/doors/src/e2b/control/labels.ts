import { ApiError } from '@sandglass/protocol'

/** The labels in which the facts about a sandbox are kept that only this door knows. Clients do not see them. */
const prefix = 'sandglass-e2b-'

export const templateLabel = `${prefix}template`
export const timeoutLabel = `${prefix}timeout`

/** What clients can choose about a sandbox that has no field of its own here. */
export interface DoorFacts {
  /** The name of the template that the client asked for. */
  readonly template: string
  /** What happens when its time is up. A sandbox that a client pauses is kept whatever this is. */
  readonly onTimeout: 'kill' | 'pause'
}

/** Returns the labels of a new sandbox: the metadata of the client, and ours. */
export function labelsOf(
  metadata: Readonly<Record<string, string>>,
  { template, onTimeout }: DoorFacts,
): Record<string, string> {
  for (const name of Object.keys(metadata))
    if (name.startsWith(prefix))
      throw new ApiError('request.INVALID', {
        message: `Metadata cannot have names that begin with ${prefix}.`,
      })
  return { ...metadata, [templateLabel]: template, [timeoutLabel]: onTimeout }
}

/** Returns the metadata as the client gave it. */
export function metadataIn(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith(prefix)))
}

/** Returns what happens when the time of a sandbox is up, or undefined if it was not created through this door. */
export function timeoutIn(labels: Readonly<Record<string, string>>): DoorFacts['onTimeout'] | undefined {
  const value = labels[timeoutLabel]
  return value === 'kill' || value === 'pause' ? value : undefined
}
