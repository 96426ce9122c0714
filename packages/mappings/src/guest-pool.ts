import { Pool } from 'undici'
import type { Dialable } from './dialable.ts'

/** HTTP connections to a port of a machine, dialled from inside the machine. */
export function guestPool(machine: Dialable, target: string, options: Omit<Pool.Options, 'connect'>): Pool {
  return new Pool(`http://${target}`, {
    ...options,
    connect: (_, done) => {
      machine.dial(`tcp:${target}` as `tcp:${string}:${number}`).then(
        // undici uses nothing of the socket beyond what a Duplex has.
        socket => done(null, socket as never),
        error => done(error, null),
      )
    },
  })
}
