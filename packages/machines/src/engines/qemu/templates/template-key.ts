import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TemplateSpec } from '../../../contract/memory-templates.ts'
import { defaultScreen } from '../../../contract/spec.ts'
import type { VmSource } from '../images/find-vm-disk.ts'
import { commandLine, type Hardware, processorsOf, screenText } from '../machine/command-line.ts'
import type { QemuVersion } from '../machine/qemu-version.ts'

export interface TemplateInputs {
  readonly spec: TemplateSpec
  readonly source: VmSource
  readonly qemu: QemuVersion
  readonly hardware: Pick<Hardware, 'acceleration' | 'machineType'>
}

/** Programs in a guest use what the processor of the host has, if it is not emulated. */
const processorOfHost = () =>
  /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]?.trim() ?? process.arch

/** Everything that saved memory depends on. If any of it changes, the memory is of no use. */
export function templateKey({ spec, source, qemu, hardware }: TemplateInputs): string {
  const { cpus, memoryMiB, diskMiB, screen = defaultScreen } = spec
  const line = commandLine({
    ...hardware,
    guest: source.guest,
    processors: processorsOf(cpus),
    memoryMiB,
    memory: 'recorded',
    isIncoming: false,
    generation: 'auto',
  })
  const processor = hardware.acceleration === 'kvm' ? processorOfHost() : ''
  const content = JSON.stringify([2, source.folder, qemu.full, line, diskMiB, screenText(screen), processor])
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
