import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Decoding, DecodingTurns } from './decoding-turns.ts'

/** Work of a number of steps, each of which takes a millisecond of a time that nothing else moves. */
function world() {
  let nowMs = 0
  const done: string[] = []
  const turns = new DecodingTurns(() => nowMs)
  const work = (name: string, steps: number): Decoding => {
    let left = steps
    return {
      step: () => {
        nowMs++
        done.push(name)
        return --left === 0
      },
    }
  }
  return { done, turns, work }
}

describe('the turns in which screens are decoded', () => {
  it('begin at once while a turn of the loop has time left', () => {
    const { done, turns, work } = world()
    turns.begin(work('a', 1))
    turns.begin(work('b', 1))
    turns.begin(work('c', 1))
    assert.deepEqual(done, ['a', 'b'])
  })

  it('alternate between screens, a few steps in each turn of the loop', async () => {
    const { done, turns, work } = world()
    turns.begin(work('greedy', 100))
    turns.begin(work('a', 2))
    turns.begin(work('b', 2))
    assert.deepEqual(done, ['greedy'])
    await setImmediate()
    assert.deepEqual(done.splice(0), ['greedy', 'greedy', 'a'])
    await setImmediate()
    assert.deepEqual(done.splice(0), ['b', 'greedy'])
    await setImmediate()
    assert.deepEqual(done.splice(0), ['a', 'b'])
  })

  it('do nothing for a screen that was closed', async () => {
    const { done, turns, work } = world()
    const endless = work('endless', Infinity)
    turns.begin(endless)
    turns.cancel(endless)
    await setImmediate()
    assert.deepEqual(done, ['endless'])
  })
})
