import type { MouseButton } from '../../../../contract/input.ts'
import type { Stroke } from './keyboard-layout.ts'

/**
 * What is pressed in a machine. It outlives a connection, because QEMU keeps keys down after the connection is lost that
 * pressed them.
 */
export class Held {
  readonly buttons = new Set<MouseButton>()
  /** By the keysym that the caller pressed. The modifiers are those that were pressed for it. */
  readonly keys = new Map<number, Stroke>()

  isDown(qcode: string): boolean {
    return this.qcodes.includes(qcode)
  }

  /** Every key that is down, in the order in which they were pressed. */
  get qcodes(): readonly string[] {
    return [...this.keys.values()].flatMap(({ qcode, modifiers }) => [...modifiers, qcode])
  }
}
