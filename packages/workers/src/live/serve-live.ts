import type { Machine } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import type { liveMethods } from './methods.ts'
import { ServedSession } from './served-session.ts'

/** Serves the live rooms of machines. `find` throws if there is no such machine. */
export function serveLive(find: (machine: string) => Pick<Machine, 'screen'>): Handlers<typeof liveMethods> {
  return {
    'live.session': async ({ machine }, { channels: [channel] }) => {
      if (!channel) throw new Error('a session has a channel')
      await new ServedSession(find(machine).screen, channel).over()
    },
  }
}
