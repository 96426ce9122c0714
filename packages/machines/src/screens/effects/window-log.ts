import {
  clientMessage,
  getInputFocus,
  internAtom,
  propertyNotify,
  readAtom,
  readChangedProperty,
  readInputFocus,
} from '@sandglass/wire/x11'
import { type Clock, systemClock } from '../clock.ts'
import type { X11Connection } from '../x11/x11-connection.ts'
import { StartupNotes } from './startup-notes.ts'

const unmapNotify = 18
const mapNotify = 19

/** What happens to the windows of a desktop, by the events of its X server. */
export class WindowLog {
  readonly #clock: Clock
  readonly #startups: StartupNotes
  /** When a window, a menu or a tooltip appeared or went last, or another window became active. */
  changedAtMs = Number.NEGATIVE_INFINITY
  /** When the list of windows changed last that the window manager knows; menus and tooltips are not in it. */
  listedAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
    this.#startups = new StartupNotes(clock)
  }

  /** Whether a program has announced a window that is not there yet. */
  get isAnnounced(): boolean {
    return this.#startups.isPending
  }

  /** Follows the events of a connection that are selected for the root window. */
  async follow(connection: X11Connection): Promise<void> {
    const names = ['_NET_CLIENT_LIST', '_NET_ACTIVE_WINDOW', '_NET_STARTUP_INFO_BEGIN', '_NET_STARTUP_INFO']
    const [list, active, begin, more] = await Promise.all(
      names.map(name => connection.ask(internAtom(name), readAtom)),
    )
    connection.listen((code, bytes) => {
      if (code === mapNotify || code === unmapNotify) this.changedAtMs = this.#clock.now()
      else if (code === propertyNotify) {
        const property = readChangedProperty(bytes)
        if (property !== list && property !== active) return
        this.changedAtMs = this.#clock.now()
        if (property === list) this.listedAtMs = this.#clock.now()
      } else if (code === clientMessage) {
        const type = readChangedProperty(bytes)
        if (type === begin || type === more) this.#startups.receive(bytes, type === begin)
      }
    })
    // Events from before this answer do not belong to an action.
    await connection.ask(getInputFocus(), readInputFocus)
  }
}
