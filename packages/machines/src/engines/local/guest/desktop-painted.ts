import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  getGeometry,
  getImage,
  getProperty,
  readGeometry,
  readImage,
  readProperty,
  X11Error,
} from '@sandglass/wire/x11'
import type { X11Connection } from '../../../screens/x11/x11-connection.ts'

/** A desktop that is not painted by then is used as it is. */
const timeoutMs = 3000
const pollMs = 20

/** How long the screen must look the same: less if there is a window already, which is the panel. */
const listedStillMs = 60
const stillMs = 150

/** The panel is this high or higher. */
const panelPx = 20

/** Whether the desktop of an image has something to paint: without a session of its own, its background stays black. */
export function paintsDesktop(imageFolder: string): boolean {
  return existsSync(join(imageFolder, 'etc/sandglass/session'))
}

/**
 * Resolves when the background and the panel are painted: rows of the screen are not black any more, and stay the same.
 * It also resolves if that does not happen within a few seconds, or if the X server fails, because a desktop without a
 * picture can be used.
 */
export async function awaitPaint(
  connection: X11Connection,
  windowList: number,
  signal: AbortSignal,
): Promise<void> {
  const endsMs = performance.now() + timeoutMs
  let last: Buffer | undefined
  let sinceMs = performance.now()
  try {
    while (performance.now() < endsMs) {
      const rows = await readRows(connection)
      if (!rows || !last?.equals(rows)) sinceMs = performance.now()
      last = rows
      const windows = await connection.ask(getProperty(connection.setup.root, windowList), readProperty)
      const stillForMs = performance.now() - sinceMs
      if (rows && stillForMs >= (windows?.length ? listedStillMs : stillMs)) return
      await pause(pollMs, undefined, { signal })
    }
  } catch (error) {
    if (!(error instanceof X11Error)) throw error
  }
}

/** Three rows of the screen, or undefined as long as one of them is black. */
async function readRows(connection: X11Connection): Promise<Buffer | undefined> {
  const { root } = connection.setup
  const { width, height } = await connection.ask(getGeometry(root), readGeometry)
  const rows: Uint8Array[] = []
  for (const y of [Math.floor(height / 4), Math.floor(height / 2), height - panelPx]) {
    const area = { x: 0, y: Math.max(0, y), width, height: 1 }
    const row = await connection.ask(getImage(root, area), reply => readImage(reply, width))
    if (row.every((byte, at) => byte === 0 || at % 4 === 3)) return undefined
    rows.push(row)
  }
  return Buffer.concat(rows)
}
