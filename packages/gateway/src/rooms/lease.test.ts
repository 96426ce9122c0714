import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Contender, Lease, type Notice } from './lease.ts'

const ada: Contender = { viewer: 'v1', name: 'Ada', person: 'a' }
const bob: Contender = { viewer: 'v2', name: 'Bob', person: 'b' }
const adaAgain: Contender = { viewer: 'v3', name: 'Ada', person: 'a' }

function shown(lease: Lease): unknown {
  const { message } = lease
  return message.kind === 'lease' && message.holder
}

const held = ({ viewer, name }: Contender) => ({ kind: 'person', viewer, name })

describe('control', () => {
  it('is given immediately if the agent or nobody has it', () => {
    for (const control of ['agent', 'user'] as const) {
      const lease = new Lease(7, control, false)
      assert.deepEqual(lease.take(ada, false), [])
      assert.deepEqual([shown(lease), lease.number, lease.control], [held(ada), 8, 'user'])
      assert.ok(lease.isHeldBy('v1') && !lease.isHeldBy('v2'))
    }
  })

  it('is requested from the person who has it, who grants or refuses', () => {
    const lease = new Lease(1, 'agent', false)
    lease.take(ada, false)
    const asked = { to: 'v1', message: { kind: 'asked', viewer: 'v2', name: 'Bob' } }
    assert.deepEqual(lease.take(bob, false), [asked])
    assert.deepEqual(lease.answer('v2', 'v2', true), [], 'the asker cannot grant the request')
    const [refusal] = lease.answer('v1', 'v2', false)
    assert.deepEqual([refusal?.to, refusal?.message.kind, lease.number], ['v2', 'refused', 2])
    assert.deepEqual(lease.answer('v1', 'v2', true), [], 'a request is answered once')
    lease.take(bob, false)
    assert.deepEqual(lease.answer('v1', 'v2', true), [])
    assert.deepEqual([shown(lease), lease.number], [held(bob), 3])
  })

  it('is taken by force, and everybody else who asked is refused', () => {
    const lease = new Lease(1, 'agent', false)
    lease.take(ada, false)
    lease.take(bob, false)
    const third = { viewer: 'v9', name: 'Cleo', person: 'c' }
    const notices = lease.take(third, true)
    assert.deepEqual([notices.map(({ to }) => to), shown(lease)], [['v2'], held(third)])
  })

  it('is handed back to the agent only by its holder', () => {
    const lease = new Lease(1, 'user', true)
    lease.take(ada, false)
    lease.handBack('v2')
    assert.deepEqual(shown(lease), held(ada))
    lease.handBack('v1')
    assert.deepEqual([shown(lease), lease.isCalled], [{ kind: 'agent' }, false])
  })

  it('goes to nobody when a person is called, and stays with a person who has it', () => {
    const lease = new Lease(1, 'agent', false)
    lease.call()
    assert.deepEqual([shown(lease), lease.number, lease.isCalled], [{ kind: 'nobody' }, 2, true])
    lease.call()
    assert.equal(lease.number, 2)
    lease.take(ada, false)
    lease.call()
    assert.deepEqual([shown(lease), lease.number], [held(ada), 3])
  })

  it('is kept for a person who left, and is theirs again on return', () => {
    const lease = new Lease(1, 'agent', false)
    lease.take(ada, false)
    lease.leave('v1')
    assert.ok(lease.isAway)
    lease.come(bob)
    assert.ok(lease.isAway, 'another person does not get it')
    lease.come(adaAgain)
    assert.deepEqual([shown(lease), lease.isAway, lease.number], [held(adaAgain), false, 3])
  })

  it('goes to the agent after a while, or to nobody if a person was called', () => {
    for (const isCalled of [false, true]) {
      const lease = new Lease(1, 'agent', false)
      if (isCalled) lease.call()
      lease.take(ada, false)
      lease.giveUp()
      assert.deepEqual(shown(lease), held(ada), 'a person who is present keeps it')
      lease.leave('v1')
      lease.giveUp()
      assert.deepEqual(shown(lease), { kind: isCalled ? 'nobody' : 'agent' })
    }
  })

  it('is taken immediately from a person who left, and by the same person from another connection', () => {
    const lease = new Lease(1, 'agent', false)
    lease.take(ada, false)
    lease.take(adaAgain, false)
    assert.deepEqual(shown(lease), held(adaAgain))
    lease.leave('v3')
    lease.take(bob, false)
    assert.deepEqual([shown(lease), lease.isAway], [held(bob), false])
  })

  it('is lost together with the right to it', () => {
    const lease = new Lease(1, 'agent', false)
    lease.take(ada, false)
    lease.lose('v2')
    assert.deepEqual(shown(lease), held(ada))
    lease.lose('v1')
    assert.deepEqual(shown(lease), { kind: 'agent' })
  })
})

const who = fc.constantFrom(ada, bob, adaAgain)
const step: fc.Arbitrary<(lease: Lease) => readonly Notice[]> = fc.oneof(
  fc.constant((lease: Lease) => lease.call()),
  fc.constant((lease: Lease) => lease.recall()),
  fc.constant((lease: Lease) => lease.giveUp()),
  fc.tuple(who, fc.boolean()).map(
    ([by, force]) =>
      (lease: Lease) =>
        lease.take(by, force),
  ),
  fc.tuple(who, who, fc.boolean()).map(
    ([by, asker, grant]) =>
      (lease: Lease) =>
        lease.answer(by.viewer, asker.viewer, grant),
  ),
  who.map(by => (lease: Lease) => lease.handBack(by.viewer)),
  who.map(by => (lease: Lease) => lease.lose(by.viewer)),
  who.map(by => (lease: Lease) => lease.come(by)),
  who.map(by => (lease: Lease) => {
    lease.leave(by.viewer)
    return []
  }),
)

describe('after any sequence of events', () => {
  it('the number grows by one with each change of holder or return, and with nothing else', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const lease = new Lease(1, 'agent', false)
        for (const take of steps) {
          const state = () => JSON.stringify([shown(lease), lease.isAway])
          const [number, before, wasAway] = [lease.number, state(), lease.isAway]
          const notices = take(lease)
          const hasLeft = !wasAway && lease.isAway
          assert.equal(lease.number, state() === before || hasLeft ? number : number + 1)
          for (const { to, message } of notices)
            assert.ok(message.kind === 'asked' ? lease.isHeldBy(to) : !lease.isHeldBy(to))
          if (lease.control === 'agent') assert.ok(!lease.isAway && !lease.isHeldBy('v1'))
        }
      }),
      { numRuns: 3000 },
    )
  })
})
