import { firmwareFiles } from '../firmware-files.ts'

export interface InstallerMachine {
  /** Secure boot and a TPM for Windows; tests also use `uefi`, whose shell can be scripted. */
  readonly firmware: 'uefi' | 'uefi-secure'
  readonly accelerator: 'kvm' | 'tcg'
  readonly memoryMiB: number
  readonly processors: number
}

/** The folder of the image that is being made, as the programs of the machine see it. */
export const workPlace = '/installation'
/** What is needed only during the installation. */
export const installerFolder = 'installer'
const installer = `${workPlace}/${installerFolder}`

/** The first of the descriptors by which QEMU gets the CDs that it need not be allowed to open. */
export const firstCdDescriptor = 3

const processor = {
  // Windows measures time by what a hypervisor offers, if there is one.
  kvm: 'host,hv-relaxed=on,hv-vapic=on,hv-spinlocks=0x1fff,hv-time=on',
  tcg: 'max,la57=off',
} as const

const cd = (name: string, port: number, file: string, more = ''): string[] => [
  ...['-blockdev', `driver=raw,node-name=${name},read-only=on,file.driver=file,file.filename=${file}`],
  ...['-device', `ide-cd,bus=ide.${port},drive=${name},id=cd-${name}${more}`],
]

/**
 * The command line of QEMU for an installation. The machine has every device that machines of the image have later, so that
 * Windows installs the drivers. Its network card is connected to nothing. The disk comes first, so that the CD is started only
 * as long as the disk is empty. QMP is on the standard input and output.
 */
export function installerArguments({
  firmware,
  accelerator,
  memoryMiB,
  processors,
}: InstallerMachine): string[] {
  const isSecure = firmware === 'uefi-secure'
  const { code } = firmwareFiles(firmware)
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none'],
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    ...['-machine', `q35,vmport=off${isSecure ? ',smm=on' : ''}`],
    ...['-accel', accelerator, '-cpu', processor[accelerator]],
    ...['-smp', `${processors},sockets=1,cores=${processors},threads=1`, '-m', String(memoryMiB)],
    ...['-rtc', 'base=utc,driftfix=slew', '-global', 'ICH9-LPC.disable_s3=1'],
    ...(isSecure ? ['-global', 'driver=cfi.pflash01,property=secure,value=on'] : []),
    ...['-drive', `if=pflash,unit=0,format=raw,readonly=on,file=${code}`],
    ...['-drive', `if=pflash,unit=1,format=raw,file=${workPlace}/vars.fd`],
    ...['-chardev', `socket,id=tpm,path=${installer}/tpm.sock`],
    ...['-tpmdev', 'emulator,id=tpm0,chardev=tpm', '-device', 'tpm-crb,tpmdev=tpm0'],
    '-blockdev',
    `driver=raw,node-name=disk,discard=unmap,detect-zeroes=unmap,file.driver=file,file.filename=${workPlace}/disk.raw`,
    ...['-device', 'virtio-blk-pci,drive=disk,id=disk0,bootindex=1', '-device', 'virtio-scsi-pci'],
    ...['-add-fd', `fd=${firstCdDescriptor},set=1`, '-add-fd', `fd=${firstCdDescriptor + 1},set=2`],
    ...cd('windows', 0, '/dev/fdset/1', ',bootindex=2'),
    ...cd('virtio', 1, '/dev/fdset/2'),
    ...cd('answers', 2, `${installer}/answers.iso`),
    ...['-device', 'virtio-net-pci', '-device', 'virtio-serial-pci', '-chardev', 'null,id=agent'],
    ...['-device', 'virtserialport,chardev=agent,name=org.qemu.guest_agent.0'],
    ...['-device', 'VGA,xres=1280,yres=720', '-device', 'qemu-xhci', '-device', 'usb-tablet'],
    ...['-chardev', `file,id=serial,path=${installer}/serial.log`, '-device', 'isa-serial,chardev=serial'],
    ...['-chardev', 'stdio,id=qmp,signal=off', '-mon', 'chardev=qmp,mode=control'],
  ]
}

/** Starts the TPM, which is in the background as soon as it can be reached, and then QEMU. */
export const installerScript = `
  swtpm socket --tpm2 --tpmstate dir=${workPlace}/tpm,mode=0600 \\
    --ctrl type=unixio,path=${installer}/tpm.sock --terminate --daemon && exec qemu-system-x86_64 "$@"`
