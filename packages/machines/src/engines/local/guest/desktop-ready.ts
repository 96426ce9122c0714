import type { Duplex } from 'node:stream'
import {
  eventMasks,
  getProperty,
  internAtom,
  propertyNotify,
  readAtom,
  readChangedProperty,
  readProperty,
  selectEvents,
} from '@sandglass/wire/x11'
import { X11Connection } from '../../../screens/x11/x11-connection.ts'
import { awaitSocket } from '../network/unix-socket.ts'
import { awaitPaint } from './desktop-painted.ts'

/**
 * Resolves when the display answers and a window manager is running. EWMH's _NET_SUPPORTING_WM_CHECK is set too
 * early: a window that is opened right after it may wait for seconds. The list of windows is set once the manager has
 * taken over, even if it is empty. It is queried once, and then its change is awaited. With `isPainted`, the
 * background and the panel are there as well.
 */
export async function awaitDesktop(
  x11Folder: string,
  isPainted: boolean,
  signal: AbortSignal,
): Promise<void> {
  await awaitDesktopOver(await awaitSocket(x11Folder, 'X0', signal), isPainted, signal)
}

/** Does the same over a connection to the display. */
export async function awaitDesktopOver(
  display: Duplex,
  isPainted: boolean,
  signal: AbortSignal,
): Promise<void> {
  const connection = await X11Connection.open(display)
  const { root } = connection.setup
  const { promise: managed, resolve, reject } = Promise.withResolvers<void>()
  // Nobody awaits this promise if the list exists already.
  managed.catch(() => {})
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    connection.send(selectEvents(root, eventMasks.propertyChange))
    const windows = await connection.ask(internAtom('_NET_CLIENT_LIST'), readAtom)
    connection.listen((code, bytes) => {
      if (code === propertyNotify && readChangedProperty(bytes) === windows) resolve()
    })
    void connection.closed.then(reject)
    if ((await connection.ask(getProperty(root, windows), readProperty)) === undefined) await managed
    if (isPainted) await awaitPaint(connection, windows, signal)
  } finally {
    signal.removeEventListener('abort', abort)
    connection.close()
  }
}
