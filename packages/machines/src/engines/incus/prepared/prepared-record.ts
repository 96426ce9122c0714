import { z } from 'zod'
import type { MachineOwner } from '../../../contract/spec.ts'
import { type Instance, isPreparedName, preparedKey } from '../machine/instance.ts'

const PreparedRecord = z.object({
  /** The process that has prepared it, which is the only one that makes a machine of it. */
  process: z.string(),
  installation: z.string().exactOptional(),
  node: z.string().exactOptional(),
  /** When it ends by itself, in ms since 1970. */
  endsAtMs: z.number(),
})
export type PreparedRecord = z.infer<typeof PreparedRecord>

export const writeRecord = (record: PreparedRecord): string => JSON.stringify(record)

/** What is noted of an instance that is prepared and no machine yet; undefined of any other. */
export function preparedRecordOf({ name, config }: Instance): PreparedRecord | undefined {
  const text = isPreparedName(name) ? config?.[preparedKey] : undefined
  return text ? PreparedRecord.safeParse(JSON.parse(text)).data : undefined
}

/** Whether the process that has prepared an instance is an earlier one of this node. */
export const isOfEarlier = (record: PreparedRecord, process: string, owner: MachineOwner | undefined) =>
  record.process !== process &&
  owner !== undefined &&
  record.node === owner.node &&
  record.installation === owner.installation
