import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@sandglass/machines/testing'
import { type Answer, type Asked, Calls } from '../faults/calls.ts'
import type { Credentials } from '../support/service-process.ts'
import type { Attack, Program } from './attack.ts'
import { Neighbour } from './neighbour.ts'
import { Tenant } from './tenant.ts'

const programs = join(import.meta.dirname, 'attacks')
const port = 8000

/** A service with a hostile tenant and an honest one, each with machines of its own. */
export class HostileWorld {
  readonly #credentials: Credentials
  readonly hostile: Tenant
  readonly neighbour: Neighbour

  private constructor(credentials: Credentials, hostile: Tenant, neighbour: Neighbour) {
    this.#credentials = credentials
    this.hostile = hostile
    this.neighbour = neighbour
  }

  static async create(credentials: Credentials): Promise<HostileWorld> {
    const hostile = await Tenant.create(credentials, 'Hostile')
    const honest = await Tenant.create(credentials, 'Honest')
    return new HostileWorld(credentials, hostile, new Neighbour(honest, await honest.createSandbox()))
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
  async attack(attack: Attack, sandboxId: string, seconds: number, seed: number): Promise<Answer[]> {
    const mapping = attack.isMapped ? await this.#map(sandboxId) : {}
    if (attack.program) await this.#launch(attack.program, sandboxId, seconds, seed)
    const { url } = this.#credentials
    const calls = attack.isAnonymous ? new Calls({ credentials: this.#nobody }) : this.hostile.calls
    const place = (path: string) => {
      if (attack.isMapped) return `${url}${path}`
      const isOfSandbox = /^\/(files|process|actions)/.test(path)
      return isOfSandbox ? `~/sandboxes/${sandboxId}${path}` : `${url}${path}`
    }
    const answers: Answer[] = []
    const end = performance.now() + seconds * 1000
    const repeat = async (asked: Asked) => {
      do answers.push(await calls.ask({ ...asked, path: place(asked.path), headers: mapping }))
      while (performance.now() < end)
    }
    const callers = Array.from({ length: attack.callers ?? 1 }, () => attack.calls).flat()
    await Promise.all(callers.map(repeat))
    return answers
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

  async #launch(
    { file, what, user }: Program,
    sandboxId: string,
    seconds: number,
    seed: number,
  ): Promise<void> {
    const command = `python3 /tmp/attacks/${file} ${what} ${seconds} ${seed} ${port}`
    const started = `setsid ${user === 'root' ? 'sudo ' : ''}${command} >/tmp/attack.log 2>&1 </dev/null &`
    const ready = 'until [ -e /tmp/attacking ]; do sleep 0.05; done'
    const { status, body } = await this.hostile.run(sandboxId, `${started} ${ready}`)
    assert.equal(status, 200, JSON.stringify(body))
  }

  async #map(sandboxId: string): Promise<Record<string, string>> {
    const { status, body } = await this.hostile.calls.ask({
      what: 'createMapping',
      method: 'POST',
      path: `~/sandboxes/${sandboxId}/mappings`,
      json: { targetEndpoint: `127.0.0.1:${port}` },
    })
    assert.equal(status, 200, JSON.stringify(body))
    return { host: body.domain, 'x-sandglass-mapping-token': body.accessToken }
  }

  get #nobody() {
    return { ...this.hostile.credentials, apiKey: 'none' }
  }
}
