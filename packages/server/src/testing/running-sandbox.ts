import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import type { Machine } from '@sandglass/machines/contract'
import { cleanup } from './cleanup.ts'
import { makeSandbox } from './make-sandbox.ts'
import type { MachineService } from './test-machines.ts'
import type { TestService } from './test-service.ts'

/** A running sandbox, with access to its machine that bypasses the API. */
export class RunningSandbox {
  readonly id: string
  readonly machine: Machine
  readonly #service: TestService

  constructor(id: string, machine: Machine, service: TestService) {
    this.id = id
    this.machine = machine
    this.#service = service
  }

  static async start({ service, engine }: MachineService): Promise<RunningSandbox> {
    const id = await makeSandbox(service)
    const machine = await openMachine({ service, engine }, id)
    cleanup.defer(() => machine.close())
    return new RunningSandbox(id, machine, service)
  }

  /** Runs a script as the desktop user in its home folder, and returns its output. */
  async run(script: string): Promise<string> {
    const child = await this.machine.exec({ executable: 'sh', args: ['-c', `exec 2>&1; ${script}`] })
    return (await text(child.stdout)).trim()
  }

  /** Returns a URL below that of the sandbox. */
  url(path: string): string {
    return this.#service.service.url + this.#service.expand(`~/sandboxes/${this.id}`) + path
  }

  /** Fetches such a URL with the API key, without converting bodies. */
  fetch(path: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {}) {
    const { apiKey } = this.#service.service.credentials
    return fetch(this.url(path), { ...init, headers: { 'x-api-key': apiKey, ...headers } })
  }
}

/** Opens the machine of a sandbox directly through the engine. The caller closes it. */
export async function openMachine({ service, engine }: MachineService, id: string): Promise<Machine> {
  const { handle } = await service.pool.db
    .selectFrom('machines')
    .innerJoin('sandboxes', 'sandboxes.machine_id', 'machines.id')
    .select('machines.handle')
    .where('sandboxes.id', '=', id)
    .executeTakeFirstOrThrow()
  assert.ok(handle)
  return engine.open(handle)
}
