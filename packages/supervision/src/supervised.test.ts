import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Failure, Supervised, type Supervision } from './supervised.ts'

/** A resource that can end, and whose opening can be made to fail. */
class Fake {
  readonly ending = Promise.withResolvers<void>()
  isClosed = false
}

function supervised(options: Partial<Supervision<Fake>> = {}) {
  const opened: Fake[] = []
  const failures: (Failure | undefined)[] = []
  const world = { opened, failures, refusal: undefined as Error | undefined, attempts: 0 }
  const links = new Supervised<Fake>({
    open: async () => {
      world.attempts++
      if (world.refusal) throw world.refusal
      const fake = new Fake()
      opened.push(fake)
      return fake
    },
    ended: fake => fake.ending.promise,
    close: fake => {
      fake.isClosed = true
      fake.ending.resolve()
    },
    onFailure: failure => failures.push(failure),
    ...options,
  })
  return { opened, failures, world, links }
}

/** Lets everything happen that does not wait for a timer. */
async function turn(): Promise<void> {
  for (let i = 0; i < 5; i++) await setImmediate()
}

describe('a supervised resource', () => {
  it('is opened once for concurrent callers, and again after it ended', async () => {
    const { links, opened } = supervised()
    const [a, b] = await Promise.all([links.get(), links.get()])
    assert.equal(a, b)
    assert.equal(await links.get(), a)
    a.ending.resolve()
    await turn()
    assert.equal(links.current, undefined)
    const next = await links.get()
    assert.notEqual(next, a)
    assert.deepEqual(opened, [a, next])
  })

  it('is tried again by the next caller after it failed to open', async () => {
    const { links, world, failures } = supervised()
    world.refusal = new Error('away')
    await assert.rejects(links.get(), /away/)
    assert.equal(links.failure?.reason, world.refusal)
    world.refusal = undefined
    await links.get()
    assert.equal(links.failure, undefined)
    assert.deepEqual(
      failures.map(failure => failure?.attempts),
      [1, undefined],
    )
  })

  it('has failed if it ended because it misbehaved', async () => {
    const end = new Error('too much')
    const { links, failures, opened } = supervised({
      ended: fake => fake.ending.promise.then(() => end),
      isFault: reason => reason === end,
    })
    const it = await links.get()
    it.ending.resolve()
    await turn()
    assert.equal(links.current, undefined)
    assert.equal(links.failure?.reason, end)
    await links.get()
    assert.equal(opened.length, 2)
    assert.deepEqual(
      failures.map(failure => failure?.attempts),
      [1, undefined],
    )
  })

  it('is closed and replaced when it is reported as broken', async () => {
    const { links } = supervised()
    const hung = await links.get()
    links.replace(hung, new Error('no answer'))
    assert.ok(hung.isClosed)
    assert.match(String(links.failure?.reason), /no answer/)
    assert.notEqual(await links.get(), hung)
    // A late report about the replaced resource does not affect its successor.
    links.replace(hung, new Error('no answer'))
    assert.equal(links.failure, undefined)
    assert.ok(links.current)
  })

  it('is reopened automatically while somebody holds it, and not after that', async () => {
    const { links, opened } = supervised({ backoff: { steadyMs: 0 } })
    const release = links.hold()
    await turn()
    opened[0]?.ending.resolve()
    await turn()
    assert.equal(opened.length, 2)
    release()
    release()
    opened[1]?.ending.resolve()
    await turn()
    assert.equal(opened.length, 2)
  })

  it('is reopened while somebody holds it also if it ended before anybody could use it', async () => {
    const { links, opened } = supervised({
      backoff: { firstMs: 0 },
      ended: fake => (fake === opened[0] ? Promise.resolve() : fake.ending.promise),
    })
    links.hold()
    await turn()
    assert.equal(opened.length, 2)
    assert.equal(links.current, opened[1])
  })

  it('rejects waiting callers with the reason when supervision is closed, and is not opened again', async () => {
    const slow = Promise.withResolvers<Fake>()
    const { links } = supervised({ open: () => slow.promise })
    const waiting = links.get()
    links.close(new Error('the machine has ended'))
    const late = new Fake()
    slow.resolve(late)
    await assert.rejects(waiting, /the machine has ended/)
    await assert.rejects(links.get(), /the machine has ended/)
    await turn()
    assert.ok(late.isClosed)
  })

  it('backs off further after each failure, and a caller never waits longer than the first backoff', async context => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    mock.method(performance, 'now', () => 0)
    context.after(() => mock.restoreAll())
    const { links, world } = supervised({ probes: true, backoff: { firstMs: 100, maxMs: 400 } })
    world.refusal = new Error('away')
    await assert.rejects(links.get())
    for (const [waitMs, attempts] of [
      [99, 1],
      [1, 2],
      [199, 2],
      [1, 3],
      [399, 3],
      [1, 4],
      [400, 5],
    ] as const) {
      context.mock.timers.tick(waitMs)
      await turn()
      assert.equal(world.attempts, attempts)
    }
    world.refusal = undefined
    const asked = links.get()
    context.mock.timers.tick(100)
    await asked
    assert.equal(world.attempts, 6)
  })
})
