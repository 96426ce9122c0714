import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GroupedCalls } from './grouped-calls.ts'

describe('grouped calls', () => {
  it('make one call of everything that was requested while another was under way, in order', async () => {
    const calls: string[] = []
    const first = Promise.withResolvers<void>()
    const grouped = new GroupedCalls<string>(async (key, items) => {
      calls.push(`${key} ${items.join('')}`)
      if (items.includes('a')) await first.promise
    })
    const requested = ['a', 'b', 'c', 'd'].map(item => grouped.call('x', item))
    await grouped.call('y', 'e')
    first.resolve()
    await Promise.all(requested)
    assert.deepEqual(calls, ['x a', 'y e', 'x bcd'])
  })

  it('let a failure concern only the one that caused it', async () => {
    const done: string[] = []
    const grouped = new GroupedCalls<string>(async (_key, items) => {
      if (items.includes('bad')) throw new Error('bad')
      done.push(...items)
    })
    const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map(item => grouped.call('x', item)))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(done, ['a', 'b', 'c'])
  })
})
