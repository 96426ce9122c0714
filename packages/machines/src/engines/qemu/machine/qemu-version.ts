import { stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { runCommand } from '../../local/host/run-command.ts'

export const qemuCommand = 'qemu-system-x86_64'

export interface QemuVersion {
  /** With what the distribution adds to it. */
  readonly full: string
  /** The newest machine with its set of devices, such as `pc-q35-7.2`. */
  readonly machineType: string
}

/** Asks the QEMU that is installed now; it may be upgraded while the service runs. */
async function qemuVersion(): Promise<QemuVersion> {
  let printed: string
  try {
    printed = await runCommand(qemuCommand, ['--version'])
  } catch (cause) {
    throw new MachineError('STATE', 'QEMU is not installed: apt-get install qemu-system-x86', { cause })
  }
  const [, full = '', major, minor] = /version ((\d+)\.(\d+)[^\n]*)/.exec(printed) ?? []
  if (major === undefined)
    throw new MachineError('STATE', `the version of QEMU is unknown: ${printed.trim()}`)
  return { full, machineType: `pc-q35-${major}.${minor}` }
}

/** Asking QEMU for its version takes a tenth of a second, and it is upgraded rarely. */
let asked: { readonly of: string; readonly version: Promise<QemuVersion> } | undefined

export async function currentQemu(): Promise<QemuVersion> {
  const of = await installedQemu()
  if (asked?.of !== of) {
    const version = qemuVersion()
    asked = { of, version }
    // It may have been in the middle of an upgrade.
    version.catch(() => {
      asked = undefined
    })
  }
  return await asked.version
}

/** Changes when another QEMU is installed. */
async function installedQemu(): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = await stat(join(folder, qemuCommand)).catch(() => undefined)
    if (found) return `${folder} ${found.ino} ${found.ctimeMs}`
  }
  return 'none'
}
