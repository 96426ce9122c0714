import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { World } from '../world.ts'
import type { Job } from './job.ts'

const expected = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('')

/** Reads everything that a shell prints, piece by piece. Shells end with the service and with the machine. */
export class Shells implements Job {
  readonly name = 'shells'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  async step(): Promise<boolean> {
    const command = 'for n in $(seq 0 39); do echo line $n; done'
    const { status, body } = await this.#world.ask({
      what: 'createSandboxShell',
      method: 'POST',
      path: '/shell',
      json: { command },
      isAudited: true,
    })
    if (status !== 200) return false
    const shell = `/shell/${body.sessionId}`
    let printed = ''
    let end: 'exit' | 'lost' | undefined
    await waitFor(async () => {
      const read = await this.#world.ask({ what: 'readSandboxShell', method: 'POST', path: `${shell}/read` })
      if (read.status !== 200) end = 'lost'
      for (const part of read.body?.output ?? []) printed += part.stdout ?? ''
      assert.ok(expected.startsWith(printed), `a shell printed ${JSON.stringify(printed)}`)
      // A shell that lost its machine has ended too, without an exit code.
      if (end === undefined && read.body?.isRunning === false)
        end = read.body.exitCode === 0 ? 'exit' : 'lost'
      return end !== undefined
    })
    if (end === 'exit') assert.equal(printed, expected, 'a shell lost what its command printed')
    await this.#world.ask({ what: 'terminateSandboxShell', method: 'DELETE', path: shell })
    return end === 'exit'
  }

  async verify(): Promise<void> {}
}
