import { randomBytes } from 'node:crypto'
import type { Json } from '../../../contract/handle.ts'
import { defaultScreen, type MachineSpec } from '../../../contract/spec.ts'
import { addressOf, gateway } from '../../local/network/addresses.ts'
import { identityFilesOf } from '../../local/network/network.ts'
import type { VmRecord } from '../records.ts'
import { screenText } from './command-line.ts'

const entropyBytes = 64

/**
 * What a virtual machine is told before anybody uses it. `isNew` says that it is not the machine whose memory or disk it began
 * with, so nothing that identifies that one may stay.
 */
export function identityOf({ spec, index, machineId }: VmRecord, isNew: boolean): Record<string, Json> {
  const { egress, sudo, env, pids, id, screen = defaultScreen } = spec
  return {
    op: 'adopt',
    time: Date.now() / 1000,
    entropy: randomBytes(entropyBytes).toString('base64'),
    hostname: id.slice(0, 63),
    files: { ...identityFilesOf(spec), 'machine-id': `${machineId}\n` },
    ...(egress !== 'none' && { address: addressOf(index), gateway }),
    sudo: sudo !== false,
    pids,
    env: { ...env },
    screen: screenText(screen),
    isNew,
  }
}

/** A machine that is booted only for its memory is nobody yet. */
export const templateSpec = (spec: MachineSpec): MachineSpec => ({
  id: spec.id,
  image: spec.image,
  cpus: spec.cpus,
  memoryMiB: spec.memoryMiB,
  diskMiB: spec.diskMiB,
  pids: spec.pids,
  egress: 'none',
  ...(spec.screen && { screen: spec.screen }),
})

export const newMachineId = (): string => randomBytes(16).toString('hex')
