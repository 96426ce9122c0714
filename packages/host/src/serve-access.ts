import type { Socket } from 'node:net'
import type { MachineHandle } from '@sandglass/machines/contract'
import { MachineError } from '@sandglass/machines/contract'
import type { Guest } from '@sandglass/machines/local'
import type { Handlers } from '@sandglass/rpc'
import type { AccessMethods } from './access-methods.ts'
import type { UseEngine } from './opened-engines.ts'
import type { SocketPasser } from './passed-sockets.ts'

/** Lets another process into machines, without reading anything that they send. */
export function accessHandlers(use: UseEngine, passer: SocketPasser): Handlers<AccessMethods> {
  const enter = <Result>(
    handle: MachineHandle,
    work: (guest: Guest<Socket>) => Promise<Result>,
  ): Promise<Result> => use(handle.engine, async engine => await work(await engine.access(handle, true)))
  return {
    reach: ({ handle }) =>
      use(handle.engine, async engine => {
        const { screenSize, adb, console } = await engine.reach(handle)
        const { dialPort } = await engine.access(handle)
        return {
          screenSize,
          hasPorts: dialPort !== undefined,
          ...(adb && { adb }),
          ...(console && { console }),
        }
      }),
    connect: ({ handle, socket }, { signal }) =>
      enter(handle, async guest => await passer.pass(await guest.connect(socket, signal))),
    dialPort: ({ handle, address, port }, { signal }) =>
      enter(handle, async ({ dialPort }) => {
        if (!dialPort)
          throw new MachineError('INVALID', 'the ports of this machine cannot be reached from the host')
        return await passer.pass(await dialPort(address, port, signal))
      }),
    isAwake: ({ handle }) => enter(handle, guest => guest.isAwake()),
    assertStorable: ({ handle, bytes }) => enter(handle, guest => guest.assertStorable(bytes)),
    activity: ({ handle }) => use(handle.engine, async engine => (await engine.activity(handle)) ?? null),
    ending: ({ handle }) => enter(handle, guest => guest.ending()),
  }
}
