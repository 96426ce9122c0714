/** The files of Debian's ovmf: the firmware, and the variables that a new machine begins with. */
export interface FirmwareFiles {
  readonly code: string
  readonly vars: string
}

/** The variables for secure boot have the keys of Microsoft, which sign Windows and the first loader of Linux systems. */
export function firmwareFiles(firmware: 'uefi' | 'uefi-secure'): FirmwareFiles {
  const suffix = firmware === 'uefi-secure' ? '.ms' : ''
  return {
    code: `/usr/share/OVMF/OVMF_CODE_4M${suffix}.fd`,
    vars: `/usr/share/OVMF/OVMF_VARS_4M${suffix}.fd`,
  }
}
