import {
  type Engine,
  type ListedMachine,
  type Machine,
  MachineError,
  type MachineHandle,
  type Screen,
} from '@sandglass/machines/contract'
import type { Engines } from '../../packages/server/src/machines/engines.ts'

const nobody: Machine['dial'] = () => Promise.reject(new MachineError('REFUSED', 'nobody answers on paper'))

/** Machines on paper, for tests that are about the API alone and would make thousands of them. */
export function paperEngines({
  dial = nobody,
  screen,
  places = 1000,
}: {
  dial?: Machine['dial']
  screen?: Screen
  /** How many machines fit. */
  places?: number
} = {}): Engines {
  const made = new Map<string, ListedMachine>()
  const idOf = ({ state }: MachineHandle) => String(state)
  const machine = (handle: MachineHandle): Machine => ({
    handle,
    screenSize: { width: 1280, height: 720 },
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
  })
  const engine: Engine = {
    name: 'local',
    capabilities: { pause: true, egress: true, diskLimit: true, x11: false, halfClose: true },
    create: async ({ id, owner }) => {
      const handle = { engine: 'local', version: 1, state: id }
      made.set(id, { id, handle, owner })
      return handle
    },
    room: async () => places - made.size,
    shortage: async () => (made.size < places ? undefined : `All ${places} places are taken.`),
    open: async handle => machine(handle),
    inspect: async handle => ({ status: made.has(idOf(handle)) ? 'running' : 'missing' }),
    restart: async () => {},
    pause: async () => {},
    resume: async () => {},
    destroy: async handle => void made.delete(idOf(handle)),
    list: async () => [...made.values()],
    close: async () => {},
  }
  return {
    get: name => (name === engine.name ? engine : undefined),
    obstacle: () => undefined,
    prepared: Promise.resolve(),
    close: () => engine.close(),
  }
}
