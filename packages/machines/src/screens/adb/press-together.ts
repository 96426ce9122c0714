import type { DeviceShell } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import { firstLine } from './shell-injector.ts'

/** Presses several keys at the same time, by their Android names. Devices before Android 13 refuse it. */
export async function pressTogether(shell: DeviceShell, keys: readonly string[]): Promise<void> {
  const { code, output } = await shell.run(
    `input keycombination ${keys.map(name => `KEYCODE_${name}`).join(' ')}`,
  )
  if (code !== 0)
    throw new MachineError('INVALID', `The device cannot press ${keys.join('+')}: ${firstLine(output)}`)
}
