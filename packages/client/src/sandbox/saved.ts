import type { Image, Snapshot } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { ServerError } from '../errors.ts'
import { Deadline } from './deadline.ts'

const pollMs = 300

/** Resolves when a disk is saved. The service answers at once in most cases. */
export async function untilSaved<Saved extends Image | Snapshot>(
  saved: Saved,
  find: (options: CallOptions) => Promise<Saved | undefined>,
  options: CallOptions,
): Promise<Saved> {
  const deadline = new Deadline(options)
  let last: Saved | undefined = saved
  while (last?.status === 'CREATING') {
    await deadline.pause(pollMs)
    last = await find(deadline.next('Saving the disk'))
  }
  if (last?.status === 'READY') return last
  throw new ServerError(`The disk could not be saved: ${last?.reason ?? 'it was deleted meanwhile.'}`, {
    code: 'client.NOT_SAVED',
    fields: { id: saved.id },
  })
}
