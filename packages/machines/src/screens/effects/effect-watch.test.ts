import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rest } from '../../contract/screen.ts'
import { ManualClock } from '../../testing/manual-clock.ts'
import { EffectWatch } from './effect-watch.ts'

const settle = { quietMs: 100, maxMs: 9000 }
const large = { x: 0, y: 0, width: 640, height: 360 }
const small = { x: 400, y: 300, width: 16, height: 16 }

/** A machine whose programs and screen the test moves. */
class World {
  readonly clock = new ManualClock()
  readonly processes = new Set([1, 2, 3])
  /** The share of a processor that its programs use. */
  share = 0
  #cpuMs = 0
  loads = 0
  stolenMs = 0
  readonly watch = new EffectWatch(
    async () => ({
      cpuMs: this.#cpuMs,
      loads: this.loads,
      stolenMs: this.stolenMs,
      processes: [...this.processes],
      hostLoad: 0,
    }),
    this.clock,
  )
  ended: Rest | undefined

  async pass(ms: number, each: () => void = () => {}): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.#cpuMs += 10 * this.share
      each()
      await this.clock.advance(10)
    }
  }

  /** An action begins, and the wait after it. */
  async act(isWatched = false): Promise<void> {
    this.ended = undefined
    this.watch.begin(isWatched)
    void this.watch.atRest(settle).then(end => {
      this.ended = end
    })
    await this.clock.advance(0)
  }

  /** An action on a machine that does nothing, so that it is known what was there before. */
  async actIdly(): Promise<void> {
    await this.act()
    await this.pass(110)
    assert.equal(this.ended, 'rest')
    await this.pass(1000)
  }
}

test('an action that changes nothing is over after the quiet time', async () => {
  const world = new World()
  await world.act()
  await world.pass(90)
  assert.equal(world.ended, undefined)
  await world.pass(20)
  assert.equal(world.ended, 'rest')
})

test('an action is not charged with what one long before it has caused, but with what one just before it has', async () => {
  for (const [apartMs, waitsMs] of [
    [600, 110],
    [300, 260],
  ] as const) {
    const world = new World()
    world.watch.begin()
    await world.pass(100)
    world.watch.windows.listedAtMs = world.watch.windows.changedAtMs = world.clock.now()
    await world.pass(apartMs - 100)
    await world.act()
    await world.pass(waitsMs - 20)
    assert.equal(world.ended, undefined)
    await world.pass(30)
    assert.equal(world.ended, 'rest')
  }
})

test('an animation that was seen to end does not delay the next action', async () => {
  const world = new World()
  const move = () => world.watch.changed([large])
  await world.act()
  await world.pass(3000, move)
  assert.equal(world.ended, 'background')
  for (const [isWatched, waitsMs] of [
    [false, 250],
    [true, 110],
  ] as const) {
    await world.pass(1000)
    await world.act(isWatched)
    await world.pass(waitsMs - 20)
    assert.equal(world.ended, undefined)
    await world.pass(30)
    assert.equal(world.ended, 'rest')
    if (!isWatched) {
      await world.act()
      await world.pass(3000, move)
    }
  }
})

test('what a program painted before the action in unequal steps is not an animation', async () => {
  const world = new World()
  await world.actIdly()
  await world.act()
  for (const pauseMs of [20, 20, 300, 20, 310, 20, 30, 20, 20]) {
    world.watch.changed([large])
    await world.pass(pauseMs)
  }
  await world.pass(150)
  assert.equal(world.ended, 'rest')
  await world.pass(100)
  // A window at once, and then nothing but work.
  await world.act()
  world.watch.changed([large])
  world.share = 0.9
  await world.pass(1400)
  assert.equal(world.ended, undefined)
  world.share = 0
  await world.pass(250)
  assert.equal(world.ended, 'rest')
})

test('an animation that goes on is not waited for, and one that has paused is not an animation any more', async () => {
  for (const goesOn of [true, false]) {
    const world = new World()
    const move = () => world.watch.changed([large])
    await world.actIdly()
    await world.act()
    await world.pass(3000, move)
    assert.equal(world.ended, 'background')
    await world.act()
    world.share = 0.9
    await world.pass(goesOn ? 420 : 1000, goesOn ? move : () => {})
    assert.equal(world.ended, goesOn ? 'background' : undefined)
  }
})

test('a program that waits for the disk is not at rest', async () => {
  const world = new World()
  await world.actIdly()
  await world.act()
  await world.pass(500, () => {
    world.loads++
  })
  assert.equal(world.ended, undefined)
  await world.pass(160)
  assert.equal(world.ended, 'rest')
})

test('time in which nothing could run does not count as quiet', async () => {
  const world = new World()
  await world.actIdly()
  await world.act()
  await world.pass(300, () => {
    world.stolenMs += 9
  })
  assert.equal(world.ended, undefined)
  await world.pass(120)
  assert.equal(world.ended, 'rest')
})

test('programs that are started all the time do not make an action wait for long', async () => {
  const world = new World()
  await world.actIdly()
  await world.act()
  let process = 10
  const build = () => {
    world.processes.delete(process)
    world.processes.add(++process)
  }
  await world.pass(2900, build)
  assert.equal(world.ended, undefined)
  await world.pass(800, build)
  assert.equal(world.ended, 'rest')
})

test('a program that is started is awaited until its window has opened and is painted', async () => {
  const world = new World()
  await world.act()
  await world.pass(30)
  world.processes.add(4)
  world.share = 0.05
  await world.pass(3000)
  assert.equal(world.ended, undefined)
  world.watch.windows.listedAtMs = world.watch.windows.changedAtMs = world.clock.now()
  world.share = 1
  await world.pass(300)
  world.watch.changed([large])
  world.share = 0
  await world.pass(200)
  assert.equal(world.ended, undefined)
  await world.pass(200)
  assert.equal(world.ended, 'rest')
})

test('a program that is started and shows no window is not awaited for long once it is idle', async () => {
  const world = new World()
  await world.actIdly()
  await world.act()
  world.processes.add(4)
  await world.pass(1000)
  assert.equal(world.ended, 'rest')
})

test('a program that works for an action is awaited although nothing is seen of it', async () => {
  const world = new World()
  await world.actIdly()
  await world.act()
  world.share = 0.9
  await world.pass(5000)
  assert.equal(world.ended, undefined)
  world.share = 0
  await world.pass(200)
  assert.equal(world.ended, 'rest')
})

test('work that never ends delays one action until the timeout, and the next ones not', async () => {
  const world = new World()
  await world.actIdly()
  await world.act()
  world.share = 0.9
  await world.pass(9100)
  assert.equal(world.ended, 'timeout')
  await world.pass(1000)
  await world.act()
  await world.pass(110)
  assert.equal(world.ended, 'background')
})

test('work of which nobody knows whether it was there before is awaited for a short time', async () => {
  const world = new World()
  world.share = 0.9
  await world.act()
  await world.pass(2000)
  assert.equal(world.ended, 'background')
})

test('work after a window has opened is awaited although there was as much before, but not for ever', async () => {
  const world = new World()
  world.share = 0.9
  await world.act()
  await world.pass(2000)
  await world.pass(1000)
  await world.act()
  world.watch.windows.changedAtMs = world.clock.now()
  await world.pass(1500)
  assert.equal(world.ended, undefined)
  await world.pass(1000)
  assert.equal(world.ended, 'background')
})

test('an animation that was there before does not delay an action for long', async () => {
  const world = new World()
  const moving = () => world.watch.changed([large])
  await world.act()
  await world.pass(4000, moving)
  assert.equal(world.ended, 'background')
  await world.pass(1000, moving)
  await world.act()
  await world.pass(450, moving)
  assert.equal(world.ended, 'background')
})

test('a caret that blinks is rest', async () => {
  const world = new World()
  const blink = async () => {
    world.watch.changed([small])
    await world.pass(500)
  }
  for (let blinks = 0; blinks < 4; blinks++) await blink()
  await world.act()
  world.watch.changed([small])
  await world.pass(110)
  assert.equal(world.ended, 'rest')
})

test('a spinner that appears is awaited, and one that was there before is not', async () => {
  const world = new World()
  const spin = () => world.watch.changed([small])
  await world.actIdly()
  await world.act()
  await world.pass(3000, spin)
  assert.equal(world.ended, undefined)
  await world.pass(2000, spin)
  assert.equal(world.ended, 'background')
  await world.pass(1000, spin)
  await world.act()
  await world.pass(110, spin)
  assert.equal(world.ended, 'background')
})

test('several actions are compared with what was before the first', async () => {
  const world = new World()
  await world.actIdly()
  world.watch.begin()
  await world.pass(50)
  world.processes.add(4)
  await world.pass(50)
  await world.act()
  await world.pass(300)
  assert.equal(world.ended, undefined)
})

test('a wait ends when the caller has gone', async () => {
  const world = new World()
  const stop = new AbortController()
  const waiting = world.watch.atRest({ ...settle, signal: stop.signal })
  await world.clock.advance(0)
  stop.abort(new Error('gone'))
  await assert.rejects(waiting, /gone/)
})
