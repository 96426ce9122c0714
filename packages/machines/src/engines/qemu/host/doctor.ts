import type { Check } from '../../../contract/check.ts'
import { installCommand, missingPackages } from '../../local/host/debian-packages.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { vmPackages } from './packages.ts'
import { type KvmFinding, qemuCommand } from './probe-kvm.ts'
import { tunDevice, type VmHost } from './vm-host.ts'

export interface VmDoctorOptions {
  /** What the operator has chosen. With `auto`, machines are emulated where KVM does not work. */
  readonly acceleration: 'auto' | 'kvm' | 'emulation'
  readonly host: VmHost
  readonly probe: () => Promise<KvmFinding>
  /** Returns what QEMU prints about its version. */
  readonly version?: () => Promise<string>
}

const nested =
  'enable virtualization in the firmware of this host or, if it is a virtual machine itself, nested virtualization where it runs'

/** Checks what virtual machines need, apart from what containers need as well. */
export async function vmDoctor({
  acceleration,
  host,
  probe,
  version = () => runCommand(qemuCommand, ['--version']),
}: VmDoctorOptions): Promise<Check[]> {
  if (host.arch !== 'x64')
    return [
      {
        name: 'virtual machines',
        result: 'fail',
        what: `virtual machines need x86_64, and this host has ${host.arch}`,
        fix: 'SANDGLASS_VMS=off',
      },
    ]
  const qemu = await checkQemu(version)
  const kvm = qemu.result === 'ok' ? [await checkKvm(acceleration, probe)] : []
  return [qemu, checkTun(host), ...kvm]
}

async function checkQemu(version: () => Promise<string>): Promise<Check> {
  const name = 'qemu'
  const missing = missingPackages(vmPackages)
  const fix = `start the service with SANDGLASS_VMS=on, which installs it, or run ${installCommand(missing)}`
  const text = await version().catch(() => '')
  const found = /version (\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1]
  if (found === undefined) return { name, result: 'fail', what: 'QEMU is not installed', fix }
  const required = missing.filter(({ isOptional }) => !isOptional)
  if (required.length > 0)
    return {
      name,
      result: 'fail',
      what: `QEMU ${found} without ${required.map(({ name: one, why }) => `${one} (${why})`).join(', ')}`,
      fix,
    }
  return { name, result: 'ok', what: `QEMU ${found}` }
}

function checkTun({ hasTun }: VmHost): Check {
  const name = 'tun'
  if (hasTun) return { name, result: 'ok', what: `virtual machines get their network from ${tunDevice}` }
  return { name, result: 'fail', what: `${tunDevice} is missing`, fix: 'modprobe tun' }
}

async function checkKvm(
  acceleration: VmDoctorOptions['acceleration'],
  probe: () => Promise<KvmFinding>,
): Promise<Check> {
  const name = 'kvm'
  if (acceleration === 'emulation')
    return { name, result: 'ok', what: 'virtual machines are emulated (SANDGLASS_VM_ACCELERATION)' }
  const found = await probe()
  if (found.works) return { name, result: 'ok', what: 'KVM runs a guest in long mode' }
  const what = `KVM does not work here: ${found.reason}`
  if (acceleration === 'kvm') return { name, result: 'fail', what, fix: nested }
  return { name, result: 'warn', what: `${what}; virtual machines are emulated and slow`, fix: nested }
}
