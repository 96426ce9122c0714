import { z } from 'zod'
import type { SettingTable } from '../../setting-table.ts'

export const qemuSettings = {
  SANDGLASS_VMS: {
    about:
      'auto: run virtual machines on this host if QEMU is installed. on: install QEMU, and build what virtual machines need in the background. off: run none. SANDGLASS_MACHINES must be local for all of them.',
    default: 'auto',
    schema: z.enum(['auto', 'on', 'off'], 'must be auto, on or off'),
  },
  SANDGLASS_VM_ACCELERATION: {
    about:
      'How virtual machines run: kvm (on the processors of this host), emulation (in software, which is many times slower), or auto, which tries KVM with a small guest and emulates if that does not work.',
    default: 'auto',
    schema: z.enum(['auto', 'kvm', 'emulation'], 'must be auto, kvm or emulation'),
  },
} as const satisfies SettingTable
