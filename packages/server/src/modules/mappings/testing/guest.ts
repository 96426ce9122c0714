import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Mapping } from '@sandglass/protocol'
import { makeSandbox } from '../../../testing/make-sandbox.ts'
import { openMachine } from '../../../testing/running-sandbox.ts'
import { type MachineService, startMachineService } from '../../../testing/test-machines.ts'
import type { TestService } from '../../../testing/test-service.ts'

const script = new URL('guest.py', import.meta.url)

/** A running sandbox, and functions to start servers in it and to map their ports. */
export interface Guest {
  readonly machines: MachineService
  readonly service: TestService
  readonly id: string
  /** Starts the server of guest.py on a port. */
  serve(port: number): Promise<void>
  map(targetEndpoint: string): Promise<Mapping>
}

/** Starts a service with a sandbox that can run python3. */
export async function startGuest(env: Record<string, string> = {}): Promise<Guest> {
  const machines = await startMachineService({ env })
  const { service } = machines
  const id = await makeSandbox(service, { maxLifeSeconds: 3600 })
  return {
    machines,
    service,
    id,
    async serve(port) {
      const machine = await openMachine(machines, id)
      await machine.files.write('guest.py', await readFile(script))
      const args = ['guest.py', String(port)]
      const server = await machine.exec({ executable: 'python3', args, detached: true })
      await once(server.stdout, 'data')
      machine.close()
    },
    async map(targetEndpoint) {
      const { status, body, text } = await service.post(`~/sandboxes/${id}/mappings`, { targetEndpoint })
      assert.equal(status, 200, text)
      return body
    },
  }
}
