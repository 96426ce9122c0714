import { MachineError } from '../../../../contract/errors.ts'
import type { MouseButton } from '../../../../contract/input.ts'

/** An event of QEMU's `input-send-event`. */
export type InputEvent = ReturnType<typeof keyEvent | typeof axisEvent | typeof buttonEvent>

/** QEMU's tablet has these buttons and one wheel; it takes others without passing them on. */
const buttons: Partial<Readonly<Record<MouseButton, string>>> = {
  left: 'left',
  middle: 'middle',
  right: 'right',
  wheelUp: 'wheel-up',
  wheelDown: 'wheel-down',
}

export const keyEvent = (qcode: string, down: boolean) =>
  ({ type: 'key', data: { down, key: { type: 'qcode', data: qcode } } }) as const

export const axisEvent = (axis: 'x' | 'y', value: number) => ({ type: 'abs', data: { axis, value } }) as const

export const buttonEvent = (button: string, down: boolean) =>
  ({ type: 'btn', data: { down, button } }) as const

/** QEMU's name for a button. INVALID if the tablet does not have it. */
export function buttonName(button: MouseButton): string {
  const name = buttons[button]
  if (name) return name
  throw new MachineError(
    'INVALID',
    `the mouse of this machine has no ${button}; it has three buttons and a vertical wheel`,
  )
}
