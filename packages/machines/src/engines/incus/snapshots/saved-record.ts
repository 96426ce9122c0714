import { z } from 'zod'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import { bootKey, type Instance, Owner, readyKey, specKey } from '../machine/instance.ts'

/** Where the engine keeps what it knows of a saved disk: in the configuration of its instance. */
export const savedKey = 'user.sandglass.snapshot'

const SavedRecord = z.object({
  image: z.string(),
  diskMiB: z.number(),
  owner: Owner.exactOptional(),
  takenAt: z.string(),
  /** What the machine had written since it was created or saved, which storage that shares blocks cannot tell later. */
  sizeMiB: z.number(),
  isComplete: z.boolean(),
})
export type SavedRecord = z.infer<typeof SavedRecord>

/** What is known of a saved disk; undefined if its member is away, which has its configuration. */
export function savedRecordOf({ config }: Instance): SavedRecord | undefined {
  const text = config?.[savedKey]
  return text === undefined ? undefined : SavedRecord.safeParse(JSON.parse(text)).data
}

/** The configuration of a saved disk, without what its machine was told, such as the environment of its programs. */
export const savedConfig = (record: SavedRecord) => ({
  [savedKey]: JSON.stringify(record),
  [specKey]: '{}',
  [bootKey]: '',
  [readyKey]: 'false',
})

export function requireSame(
  { image, diskMiB }: SavedRecord,
  spec: Pick<MachineSpec, 'image' | 'diskMiB'>,
): void {
  if (spec.image !== image || spec.diskMiB !== diskMiB)
    throw new MachineError(
      'INVALID',
      `machines of this snapshot have the image ${image} and a disk of ${diskMiB} MiB`,
    )
}
