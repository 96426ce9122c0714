import {
  configureNotify,
  eventMasks,
  getGeometry,
  readConfigured,
  readGeometry,
  selectEvents,
} from '@sandglass/wire/x11'
import type { ScreenSize } from '../../contract/spec.ts'
import type { X11Connection } from './x11-connection.ts'

/** Whoever selects other events of the root window as well selects these with them: the server keeps one choice for each window. */
export const heardAlways = eventMasks.structureNotify

/** How large a screen is, as the X server tells each time that it changes, so that nobody has to ask. */
export class RootSize {
  #now: ScreenSize

  private constructor(connection: X11Connection, size: ScreenSize) {
    this.#now = size
    connection.listen((code, bytes) => {
      // One that another client sent has the highest bit set, and is not believed.
      if (code !== configureNotify) return
      const { window, width, height } = readConfigured(bytes)
      if (window === connection.setup.root) this.#now = { width, height }
    })
  }

  static async follow(connection: X11Connection): Promise<RootSize> {
    const { root } = connection.setup
    connection.send(selectEvents(root, heardAlways))
    return new RootSize(connection, await connection.ask(getGeometry(root), readGeometry))
  }

  get now(): ScreenSize {
    return this.#now
  }
}
