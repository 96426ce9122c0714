import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import type { Job } from './job.ts'

/** Runs programs that print a word and append it to a file. */
export class Programs implements Job {
  readonly name = 'programs'
  readonly #world: World
  readonly #log: string
  readonly #words: string[] = []
  #count = 0

  constructor(world: World, log: string) {
    this.#world = world
    this.#log = log
  }

  async step(): Promise<boolean> {
    const word = `word-${this.#count++}`
    const printed = await this.#world.run(`echo ${word} | tee -a ${this.#log}`)
    if (printed === undefined) return false
    assert.equal(printed, `${word}\n`, 'a program printed something else')
    this.#words.push(word)
    return true
  }

  async verify(): Promise<void> {
    const kept = new Set((await this.#world.run(`cat ${this.#log}`))?.split('\n'))
    assert.deepEqual(
      this.#words.filter(word => !kept.has(word)),
      [],
      'what programs wrote is not there',
    )
  }
}
