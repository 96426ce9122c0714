import type { AdbLink } from '../../adb/adb-link.ts'
import { DeviceShell } from '../../adb/device-shell.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { ShellInjector } from '../../screens/adb/shell-injector.ts'

/** Asks a device for the size of its screen. */
export async function screenSizeOf(link: AdbLink): Promise<ScreenSize> {
  const shell = await DeviceShell.open(link)
  try {
    return await new ShellInjector(shell).size()
  } finally {
    shell.close()
  }
}
