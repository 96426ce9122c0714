import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@sandglass/machines/testing'
import type { Answer } from '../faults/calls.ts'
import type { Credentials } from '../support/service-process.ts'
import type { Attack } from './attack.ts'
import { Neighbour } from './neighbour.ts'
import { runAttack } from './run-attack.ts'
import { Tenant } from './tenant.ts'

const programs = join(import.meta.dirname, 'attacks')

/** A service with a hostile tenant and an honest one, each with machines of its own. */
export class HostileWorld {
  readonly hostile: Tenant
  readonly neighbour: Neighbour

  private constructor(hostile: Tenant, neighbour: Neighbour) {
    this.hostile = hostile
    this.neighbour = neighbour
  }

  static async create(credentials: Credentials): Promise<HostileWorld> {
    const hostile = await Tenant.create(credentials, 'Hostile')
    const honest = await Tenant.create(credentials, 'Honest')
    return new HostileWorld(hostile, new Neighbour(honest, await honest.createSandbox()))
  }

  /** Creates a sandbox with the programs of the attacks in it. */
  async createHostileSandbox(): Promise<string> {
    const id = await this.hostile.createSandbox()
    for (const name of await readdir(programs)) {
      if (!name.endsWith('.py')) continue
      const { status } = await this.hostile.write(
        id,
        `/tmp/attacks/${name}`,
        await readFile(join(programs, name)),
      )
      assert.equal(status, 200)
    }
    return id
  }

  /** Runs an attack for a number of seconds, and returns the responses to the attacker's own calls. */
  attack(attack: Attack, sandboxId: string, seconds: number, seed: number): Promise<Answer[]> {
    return runAttack(attack, this.hostile, { sandboxId, seconds, seed })
  }

  /** Waits until an imposter has given its place back, and returns how many connections it got. */
  async imposterConnections(sandboxId: string): Promise<number> {
    let connections = 0
    await waitFor(async () => {
      const { status, body } = await this.hostile.run(sandboxId, 'cat /tmp/attacked')
      const output = status === 200 ? Buffer.from(body.stdoutBase64, 'base64').toString() : ''
      connections = Number(output)
      return output !== ''
    })
    return connections
  }
}
