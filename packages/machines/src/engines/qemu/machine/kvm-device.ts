import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { mountsBelow } from '../../local/rootfs/mounts.ts'

/** The device is the same on every Linux. */
const number = { major: 10, minor: 232 } as const

/** Lets the cgroup of a machine use it. */
export const kvmRule = { allow: true, type: 'c', ...number, access: 'rw' } as const

/**
 * Makes a node of KVM that QEMU may open, which runs as a user that the host does not know. The node of the host stays as the operator
 * wants it. It is on a file system of its own, because the others of the service allow no devices.
 */
export async function makeKvmDevice(runDir: string): Promise<string> {
  if (!existsSync('/dev/kvm'))
    throw new MachineError('STATE', 'This host has no /dev/kvm. Set SANDGLASS_VM_ACCELERATION=auto.')
  const folder = join(runDir, 'devices')
  const node = join(folder, 'kvm')
  if (!(await mountsBelow(folder)).includes(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o711 })
    await runCommand('mount', [
      '-t',
      'tmpfs',
      '-o',
      'nosuid,noexec,mode=711,size=64k',
      'sandglass-devices',
      folder,
    ])
  }
  if (!existsSync(node))
    await runCommand('mknod', ['--mode=0666', node, 'c', String(number.major), String(number.minor)])
  return node
}
