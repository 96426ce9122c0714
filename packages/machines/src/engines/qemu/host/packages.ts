import type { DebianPackage } from '../../local/host/debian-packages.ts'

const qemu: DebianPackage = {
  name: 'qemu-system-x86',
  file: '/usr/bin/qemu-system-x86_64',
  why: 'runs virtual machines',
}
const qemuImg: DebianPackage = {
  name: 'qemu-utils',
  file: '/usr/bin/qemu-img',
  why: 'makes and converts their disks',
}
const ovmf: DebianPackage = {
  name: 'ovmf',
  file: '/usr/share/OVMF/OVMF_CODE_4M.ms.fd',
  why: 'is the firmware of images that start with UEFI',
}

/** The Debian packages that virtual machines need besides those of containers. */
export const vmPackages: readonly DebianPackage[] = [
  qemu,
  qemuImg,
  { ...ovmf, isOptional: true },
  { name: 'python3-minimal', file: '/usr/bin/python3', why: 'serves their network and input' },
]

/** What adding a disk needs. */
export const diskPackages: readonly DebianPackage[] = [qemuImg, ovmf]

/** What installing Windows needs. */
export const windowsPackages: readonly DebianPackage[] = [
  qemu,
  qemuImg,
  ovmf,
  { name: 'swtpm', file: '/usr/bin/swtpm', why: 'is the TPM of Windows' },
  { name: 'xorriso', file: '/usr/bin/xorriso', why: 'writes the CD with the answer file' },
]
