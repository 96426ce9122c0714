import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import type { Job } from './job.ts'

const most = 5

/** Creates and deletes projects. A project whose create was refused must not exist. */
export class Projects implements Job {
  readonly name = 'projects'
  readonly #world: World
  readonly #prefix: string
  /** Whether each project exists, by name, as far as responses say. */
  readonly #known = new Map<string, 'there' | 'gone' | 'unknown'>()
  readonly #ids = new Map<string, string>()
  #count = 0

  constructor(world: World, prefix: string) {
    this.#world = world
    this.#prefix = prefix
  }

  async step(): Promise<boolean> {
    const there = [...this.#known].filter(([, fate]) => fate === 'there').map(([name]) => name)
    const [oldest] = there
    return there.length < most || oldest === undefined ? await this.#create() : await this.#delete(oldest)
  }

  async verify(): Promise<void> {
    const { status, body } = await this.#list()
    assert.equal(status, 200)
    const names = new Set(body.map((project: { name: string }) => project.name))
    for (const [name, fate] of this.#known) {
      if (fate === 'there')
        assert.ok(names.has(name), `the project ${name} was acknowledged and is not there`)
      if (fate === 'gone') assert.ok(!names.has(name), `the project ${name} is there, though it must not be`)
    }
  }

  async #create(): Promise<boolean> {
    const name = `${this.#prefix}-${this.#count++}`
    const { status, body } = await this.#world.ask({
      what: 'createProject',
      method: 'POST',
      path: '~/projects',
      json: { name },
      isAudited: true,
    })
    // A 503 promises that nothing was done.
    this.#known.set(name, status === 200 ? 'there' : status === 503 ? 'gone' : 'unknown')
    if (status === 200) this.#ids.set(name, body.id)
    return status === 200
  }

  async #delete(name: string): Promise<boolean> {
    const path = `~/projects/${this.#ids.get(name)}`
    const { status } = await this.#world.ask({
      what: 'deleteProject',
      method: 'DELETE',
      path,
      isAudited: true,
    })
    if (status !== 503) this.#known.set(name, status === 200 ? 'gone' : 'unknown')
    return status === 200
  }

  #list() {
    return this.#world.ask({ what: 'listProjects', method: 'GET', path: '~/projects' })
  }
}
