import { method } from '@sandglass/rpc'
import { Named } from '../machine-methods.ts'

/** What a worker does for the live rooms of a machine. */
export const liveMethods = {
  /**
   * A room's use of a machine. Its messages are those of to-session.ts and from-session.ts. It is over when both sides
   * have ended the channel, and only then answered.
   */
  'live.session': method({ args: Named, channels: ['messages'] }),
}
