import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { Job } from './job.ts'
import type { JobWorld } from './job-world.ts'

export interface ListedSandbox {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly reason?: string
}

/**
 * Creates and deletes sandboxes next to the one whose processes get faults. A sandbox whose create was refused must
 * not exist.
 */
export class Sandboxes implements Job {
  readonly name = 'sandboxes'
  readonly #world: JobWorld
  readonly #mayHaveFailed: (sandbox: ListedSandbox) => boolean
  /** Whether each sandbox exists, by name, as far as responses say. */
  readonly #known = new Map<string, 'there' | 'gone' | 'unknown'>()
  readonly #ids = new Map<string, string>()
  #count = 0

  /** @param mayHaveFailed whether a sandbox that was acknowledged may have ended by the fault, as it says itself */
  constructor(world: JobWorld, mayHaveFailed: (sandbox: ListedSandbox) => boolean = () => false) {
    this.#world = world
    this.#mayHaveFailed = mayHaveFailed
  }

  async step(): Promise<boolean> {
    const [there] = [...this.#known].find(([, fate]) => fate === 'there') ?? []
    return there === undefined ? await this.#create() : await this.#delete(there)
  }

  async verify(): Promise<void> {
    await waitFor(async () => (await this.#list()).every(({ status }) => status !== 'PENDING'))
    const listed = new Map((await this.#list()).map(sandbox => [sandbox.name, sandbox]))
    for (const [name, fate] of this.#known) {
      const found = listed.get(name)
      if (fate === 'there' && !(found && this.#mayHaveFailed(found)))
        assert.equal(
          found?.status,
          'RUNNING',
          `${name} was acknowledged; ${found?.reason ?? 'it is not there'}`,
        )
      if (fate === 'gone')
        assert.equal(found, undefined, `the sandbox ${name} is there, though it must not be`)
      if (found) await this.#delete(name, found.id)
    }
    this.#known.clear()
  }

  async #create(): Promise<boolean> {
    const name = `sandbox-${this.#count++}`
    const { status, body } = await this.#world.ask({
      what: 'createSandbox',
      method: 'POST',
      path: '~/sandboxes',
      isAudited: true,
      json: { shapeName: 'small', name },
    })
    // A 503 promises that nothing was done.
    this.#known.set(name, status === 200 ? 'there' : status === 503 ? 'gone' : 'unknown')
    if (status === 200) this.#ids.set(name, body.id)
    return status === 200
  }

  async #delete(name: string, id = this.#ids.get(name)): Promise<boolean> {
    const { status } = await this.#world.ask({
      what: 'deleteSandbox',
      method: 'DELETE',
      path: `~/sandboxes/${id}`,
      isAudited: true,
    })
    if (status !== 503) this.#known.set(name, status === 200 ? 'gone' : 'unknown')
    return status === 200
  }

  async #list(): Promise<ListedSandbox[]> {
    const { status, body } = await this.#world.ask({
      what: 'listSandboxes',
      method: 'GET',
      path: '~/sandboxes',
    })
    assert.equal(status, 200)
    return body
  }
}
