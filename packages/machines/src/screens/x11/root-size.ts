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

/**
 * Everything that is listened to on the connection of the input: the size of the root window, answers to pings, and
 * what happens to windows. It is selected once, because the server keeps one mask per client and window.
 */
const rootEvents = eventMasks.structureNotify | eventMasks.substructureNotify | eventMasks.propertyChange

/** The size of the screen, kept up to date by events of the X server, so that reading it takes no request. */
export class RootSize {
  #now: ScreenSize

  private constructor(connection: X11Connection, size: ScreenSize) {
    this.#now = size
    connection.listen((code, bytes) => {
      // An event that another client sent has the highest bit set, and is ignored.
      if (code !== configureNotify) return
      const { window, width, height } = readConfigured(bytes)
      if (window === connection.setup.root) this.#now = { width, height }
    })
  }

  static async follow(connection: X11Connection): Promise<RootSize> {
    const { root } = connection.setup
    connection.send(selectEvents(root, rootEvents))
    return new RootSize(connection, await connection.ask(getGeometry(root), readGeometry))
  }

  get now(): ScreenSize {
    return this.#now
  }
}
