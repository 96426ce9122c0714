import { text } from 'node:stream/consumers'
import { openMachine } from './running-sandbox.ts'
import type { MachineService } from './test-machines.ts'

/** Runs a script as the desktop user in the machine of a sandbox, and returns what it prints. */
export async function runInSandbox(machines: MachineService, id: string, script: string): Promise<string> {
  const machine = await openMachine(machines, id)
  try {
    const child = await machine.exec({ executable: 'sh', args: ['-c', `exec 2>&1; ${script}`] })
    return (await text(child.stdout)).trim()
  } finally {
    machine.close()
  }
}
