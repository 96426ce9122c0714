import type { ScreenSize } from '../../../contract/spec.ts'
import type { VmGuest } from '../records.ts'
import { consoleDevices, firmwareOf } from './console-hardware.ts'
import { seenAt } from './seen-at.ts'

/** How QEMU runs the processors of a guest: with the help of this one's own, or by translating every instruction. */
export type Acceleration = 'kvm' | 'emulation'

/**
 * Where the memory of a guest is: only in the process (`own`), in a file that others start from later (`recorded`), or a private copy of
 * such memory, of which only what changes takes space (`copied`).
 */
export type GuestMemory = 'own' | 'recorded' | 'copied'

/** The descriptors that `launch.pl` opens for QEMU, in this order. Without memory, the second may be a socket for the relay. */
export const descriptors = { network: 3, memory: 4 } as const

/** The devices of a guest. Two machines with the same values can continue from each other's memory. */
export interface Hardware {
  /** Such as `pc-q35-7.2`. The devices of a type are the same in every later version of QEMU. */
  readonly machineType: string
  readonly acceleration: Acceleration
  readonly guest: VmGuest
  readonly processors: number
  readonly memoryMiB: number
}

export interface CommandLineInput extends Hardware {
  readonly memory: GuestMemory
  /** Whether the machine gets its state from elsewhere, and does not boot. */
  readonly isIncoming: boolean
  /** Tells the guest that it is not the machine whose memory it has. */
  readonly generation: string
}

/** Translated code is kept in this many MiB per machine. The default is a part of the host's memory. */
const translatedMiB = 64

/** QEMU sees 32 processors at most, so that a template of a large shape still starts. */
export const processorsOf = (cpus: number): number => Math.min(32, Math.max(1, Math.ceil(cpus)))

export const screenText = ({ width, height }: ScreenSize): string => `${width}x${height}`

/** Whether our agent is in the guest, so that everything goes through it. */
export const hasAgent = ({ agent }: Pick<VmGuest, 'agent'>): boolean => agent === 'sandglass'

function memoryBackend({ memory, memoryMiB }: CommandLineInput): string {
  const size = `id=ram,size=${memoryMiB}M`
  if (memory === 'own') return `memory-backend-ram,${size}`
  if (memory === 'recorded') return `memory-backend-file,${size},mem-path=${seenAt.memory},share=on`
  return `memory-backend-file,${size},mem-path=/proc/self/fd/${descriptors.memory},share=off`
}

/**
 * All that QEMU can emulate, except that it repeats an instruction for each byte of a copy (ERMS), which takes twice as long as
 * any other way to copy.
 */
const emulatedProcessor = 'max,-erms'

/** Windows runs several times faster if it knows that it is a guest. */
const windowsHints = ',hv_relaxed,hv_vapic,hv_spinlocks=0x1fff,hv_time,hv_vpindex,hv_synic,hv_stimer'

const processorOf = ({ acceleration, guest }: CommandLineInput): string[] =>
  acceleration === 'kvm'
    ? ['-accel', 'kvm', '-cpu', `host,migratable=on${guest.os === 'windows' ? windowsHints : ''}`]
    : ['-accel', `tcg,thread=multi,tb-size=${translatedMiB}`, '-cpu', emulatedProcessor]

/** The arguments of QEMU. A name in braces stands for the descriptor of a socket that the relay makes. */
export function commandLine(input: CommandLineInput): string[] {
  const { machineType, processors, memoryMiB, isIncoming, generation, guest } = input
  const smm = guest.firmware === 'uefi-secure' ? 'on' : 'off'
  const isVirtio = guest.devices === 'virtio'
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none'],
    ...['-machine', `${machineType},memory-backend=ram,usb=off,smm=${smm},vmport=off,hpet=off`],
    ...processorOf(input),
    ...['-smp', String(processors), '-m', String(memoryMiB), '-object', memoryBackend(input)],
    ...firmwareOf(guest, isIncoming),
    ...(isIncoming ? ['-incoming', 'defer'] : []),
    ...['-drive', `file=${seenAt.disk},if=none,id=disk,format=raw,cache=writeback,discard=unmap`],
    ...[
      '-device',
      isVirtio ? 'virtio-blk-pci,drive=disk,bootindex=1' : 'ide-hd,drive=disk,bus=ide.0,bootindex=1',
    ],
    ...['-netdev', `tap,id=network,fd=${descriptors.network}`],
    ...['-device', `${isVirtio ? 'virtio-net-pci' : 'e1000e'},netdev=network,mac=52:54:00:00:00:01,romfile=`],
    ...(hasAgent(guest) ? agentDevices : consoleDevices(guest)),
    ...['-object', 'rng-random,id=entropy,filename=/dev/urandom', '-device', 'virtio-rng-pci,rng=entropy'],
    ...['-device', `vmgenid,guid=${generation}`],
    ...['-qmp', 'unix:/run/sandglass/sockets/qmp,server=on,wait=off'],
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
  ]
}

/** The agent shows the screen of the guest's own X server, so there is no other. A reboot ends the machine, as in a container. */
const agentDevices = [
  ...['-no-reboot', '-vga', 'none', '-device', 'virtio-serial-pci'],
  ...['-chardev', 'socket,id=channel,fd={channel}'],
  ...['-device', 'virtserialport,chardev=channel,name=org.sandglass.channel'],
]
