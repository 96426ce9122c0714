import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { openMachine } from '../../../testing/running-sandbox.ts'
import type { MachineService } from '../../../testing/test-machines.ts'

/** The ports on which the programs of programs.py listen. */
export const ports = {
  echo: 7001,
  digest: 7002,
  source: 7003,
  deaf: 7004,
  reset: 7005,
  dribble: 7006,
  shut: 7007,
}

const script = new URL('programs.py', import.meta.url)

/** Starts the programs in a sandbox, and returns when they listen. */
export async function startPrograms(machines: MachineService, id: string): Promise<void> {
  const machine = await openMachine(machines, id)
  await machine.files.write('programs.py', await readFile(script))
  const child = await machine.exec({ executable: 'python3', args: ['programs.py'], detached: true })
  await once(child.stdout, 'data')
  machine.close()
}
