import {
  getGeometry,
  getProperty,
  readGeometry,
  readProperty,
  readTranslated,
  translateCoordinates,
  X11Error,
} from '@sandglass/wire/x11'
import type { Point, Rect } from '../../contract/rect.ts'
import type { X11Connection } from './x11-connection.ts'

/** The window of a program, with its process id from `_NET_WM_PID` and its position on the screen. */
export interface ProgramWindow {
  readonly process: number
  readonly bounds: Rect
}

/** The max number of window manager frames around the window of a program. */
const maxDepth = 16

/**
 * Returns the window that would receive a click at this point. Undefined if it does not name its process, or is
 * closed meanwhile.
 */
export async function windowAt(
  connection: X11Connection,
  processOf: number,
  at: Point,
): Promise<ProgramWindow | undefined> {
  try {
    return await descend(connection, processOf, at)
  } catch (error) {
    if (connection.isOpen && error instanceof X11Error) return undefined
    throw error
  }
}

async function descend(
  connection: X11Connection,
  processOf: number,
  { x, y }: Point,
): Promise<ProgramWindow | undefined> {
  const { root } = connection.setup
  let window = root
  for (let depth = 0; depth < maxDepth; depth++) {
    const { child } = await connection.ask(translateCoordinates(root, window, x, y), readTranslated)
    if (child === 0) return undefined
    window = child
    const [process] = (await connection.ask(getProperty(window, processOf), readProperty)) ?? []
    if (process === undefined) continue
    const corner = await connection.ask(translateCoordinates(window, root, 0, 0), readTranslated)
    const size = await connection.ask(getGeometry(window), readGeometry)
    return { process, bounds: { x: corner.x, y: corner.y, ...size } }
  }
  return undefined
}
