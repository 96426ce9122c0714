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

/** A program's window, by the process that `_NET_WM_PID` names, and where it is on the screen. */
export interface ProgramWindow {
  readonly process: number
  readonly bounds: Rect
}

/** Frames of window managers around a program's own window. */
const deepestWindow = 16

/** The window that a click here would get, of the program that says so by EWMH; undefined where none does, or it goes away. */
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
  for (let depth = 0; depth < deepestWindow; depth++) {
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
