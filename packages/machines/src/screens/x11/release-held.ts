import { fake, fakeInput, queryKeymap, queryPointer, readKeymap, readPointer } from '@sandglass/wire/x11'
import type { X11Connection } from './x11-connection.ts'

/** The buttons that can be held. The others are notches of wheels. */
const holdable = [1, 2, 3]

/**
 * Releases the keys and buttons that are down. Whoever pressed them is gone, since only one connection at a time gives
 * input, and the X server keeps them down after the end of a connection.
 */
export async function releaseHeld(connection: X11Connection, xtest: number): Promise<void> {
  const [keycodes, { buttons }] = await Promise.all([
    connection.ask(queryKeymap(), readKeymap),
    connection.ask(queryPointer(connection.setup.root), readPointer),
  ])
  for (const keycode of keycodes) connection.send(fakeInput(xtest, fake.keyUp, keycode))
  for (const button of holdable)
    if (buttons & (1 << (button - 1))) connection.send(fakeInput(xtest, fake.buttonUp, button))
}
