import { MachineError } from '@sandglass/machines/contract'
import { type Handlers, WithBytes } from '@sandglass/rpc'
import type { Encoders } from '../encoding/encoders.ts'
import type { DevelopsRaw } from './develops-raw.ts'
import type { rawMethods } from './raw-methods.ts'

/** Serves the frames in the file of a worker, if it has one. */
export function serveRaw(raw: DevelopsRaw | undefined, encoders: Encoders): Handlers<typeof rawMethods> {
  const own = () => {
    if (!raw) throw new MachineError('UNREACHABLE', 'This worker has no file of raw frames.')
    return raw
  }
  return {
    async 'raw.develop'({ frame, ...choice }) {
      const { body, hash, seconds } = await own().develop(frame, choice)
      return new WithBytes({ hash, seconds }, body)
    },
    async 'raw.prioritize'({ id }) {
      encoders.prioritize(id)
    },
    'raw.release': async ({ frame }) => own().release(frame),
  }
}
