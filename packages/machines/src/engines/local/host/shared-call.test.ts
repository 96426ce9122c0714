import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SharedCall } from './shared-call.ts'

/** A question whose answers are given by hand, in order. */
function question() {
  const asked: PromiseWithResolvers<number>[] = []
  const shared = new SharedCall(() => {
    const answer = Promise.withResolvers<number>()
    asked.push(answer)
    return answer.promise
  })
  return { asked, shared }
}

it('asks once for all who ask while an answer is under way, after that answer', async () => {
  const { asked, shared } = question()
  const first = shared.call()
  const others = [shared.call(), shared.call(), shared.call()]
  assert.equal(asked.length, 1)
  asked[0]?.resolve(1)
  assert.equal(await first, 1)
  await Promise.resolve()
  assert.equal(asked.length, 2)
  const later = shared.call()
  asked[1]?.resolve(2)
  assert.deepEqual(await Promise.all(others), [2, 2, 2])
  await Promise.resolve()
  asked[2]?.resolve(3)
  assert.equal(await later, 3)
})

it('asks again for those who wait for an answer that fails', async () => {
  const { asked, shared } = question()
  const [first, second] = [shared.call(), shared.call()]
  asked[0]?.reject(new Error('no answer'))
  await assert.rejects(first, /no answer/)
  await Promise.resolve()
  asked[1]?.resolve(2)
  assert.equal(await second, 2)
  const third = shared.call()
  asked[2]?.resolve(3)
  assert.equal(await third, 3, 'nobody waits for an answer that was given')
})
