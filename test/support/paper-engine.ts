import {
  type Engine,
  type ListedMachine,
  type Machine,
  MachineError,
  type MachineHandle,
  type Screen,
} from '@sandglass/machines/contract'
import { debianGuest } from '@sandglass/machines/guests'
import type { Engines } from '../../packages/server/src/machines/engines.ts'
import { enginesOf } from '../../packages/server/src/testing/engines-of.ts'

const refuseConnections: Machine['dial'] = () =>
  Promise.reject(new MachineError('REFUSED', 'nobody answers on paper'))

/** A machine that exists only in memory, with only the screen and connections that a test gives it. */
export function paperMachine(
  handle: MachineHandle,
  dial: Machine['dial'] = refuseConnections,
  screen?: Screen,
): { -readonly [K in keyof Machine]: Machine[K] } {
  return {
    handle,
    screenSize: { width: 1280, height: 720 },
    guest: debianGuest,
    get files(): never {
      throw new MachineError('STATE', 'there are no files on paper')
    },
    get screen(): Screen {
      if (screen) return screen
      throw new MachineError('STATE', 'nothing is to be seen on paper')
    },
    died: new Promise(() => {}),
    health: {},
    onHealth: () => {},
    exec: () => Promise.reject(new MachineError('STATE', 'nothing runs on paper')),
    dial,
    close: () => {},
  }
}

/** An engine whose machines exist only in memory, for tests of the API that do not need real ones. */
export function paperEngines({
  dial = refuseConnections,
  screen,
  places = 1000,
}: {
  dial?: Machine['dial']
  screen?: Screen
  /** The number of machines that fit. */
  places?: number
} = {}): Engines {
  const made = new Map<string, ListedMachine>()
  const idOf = ({ state }: MachineHandle) => String(state)
  const machine = (handle: MachineHandle) => paperMachine(handle, dial, screen)
  const engine: Engine = {
    name: 'local',
    scope: 'node',
    capabilities: { pause: true, egress: true, egressNames: true, halfClose: true, saveMemory: false },
    create: async ({ id, owner }) => {
      const handle = { engine: 'local', version: 1, state: id }
      made.set(id, { id, handle, owner })
      return handle
    },
    health: async () => ({ ready: true, unavailable: {} }),
    capacity: async () =>
      made.size < places
        ? { fits: places - made.size }
        : { fits: 0, reason: `All ${places} places are taken.` },
    open: async handle => machine(handle),
    inspect: async handle => ({ status: made.has(idOf(handle)) ? 'running' : 'missing' }),
    restart: async () => {},
    pause: async () => {},
    resume: async () => {},
    destroy: async handle => void made.delete(idOf(handle)),
    list: async () => [...made.values()],
    close: async () => {},
  }
  return enginesOf(engine)
}
