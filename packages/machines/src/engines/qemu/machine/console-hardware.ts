import type { VmGuest } from '../records.ts'
import { seenAt } from './seen-at.ts'

/** The socket of the TPM in the container, as the relay makes it. */
const tpmSocket = '/tmp/tpm'

const ovmf = { uefi: '/usr/share/OVMF/OVMF_CODE_4M.fd', 'uefi-secure': '/usr/share/OVMF/OVMF_CODE_4M.ms.fd' }

const kernelArguments = 'quiet loglevel=0 panic=-1 random.trust_cpu=on mitigations=off ipv6.disable=1'

/** What a guest is started with. One that has booted elsewhere needs no kernel, which QEMU would read into memory of its own. */
export function firmwareOf({ firmware }: Pick<VmGuest, 'firmware'>, hasBooted: boolean): string[] {
  if (firmware === 'bios' || (firmware === 'kernel' && hasBooted)) return []
  if (firmware === 'kernel')
    return ['-kernel', seenAt.kernel, '-initrd', seenAt.initrd, '-append', kernelArguments]
  const flash = [
    ...['-drive', `if=pflash,unit=0,format=raw,readonly=on,file=${ovmf[firmware]}`],
    ...['-drive', `if=pflash,unit=1,format=raw,file=${seenAt.variables}`],
  ]
  if (firmware === 'uefi') return flash
  return [
    ...['-global', 'driver=cfi.pflash01,property=secure,value=on', ...flash],
    ...['-chardev', `socket,id=tpm,path=${tpmSocket}`, '-tpmdev', 'emulator,id=tpm,chardev=tpm'],
    ...['-device', 'tpm-crb,tpmdev=tpm'],
  ]
}

/** The screen, keyboard and pointer of a guest that has no agent of ours, and a port for QEMU's own agent, if there is one. */
export function consoleDevices({ agent }: Pick<VmGuest, 'agent'>): string[] {
  return [
    // The largest screen that our limits let through takes this much memory. The keyboard is the one that every PC has.
    ...['-device', 'VGA,vgamem_mb=16', '-vnc', 'unix:/run/sandglass/sockets/rfb,share=force-shared'],
    ...['-device', 'qemu-xhci', '-device', 'usb-tablet'],
    ...['-chardev', 'socket,id=input,fd={input}', '-mon', 'chardev=input,mode=control'],
    ...['-chardev', 'socket,id=qga,fd={qga}'],
    ...(agent === 'qemu-guest-agent'
      ? ['-device', 'virtio-serial-pci', '-device', 'virtserialport,chardev=qga,name=org.qemu.guest_agent.0']
      : []),
  ]
}
