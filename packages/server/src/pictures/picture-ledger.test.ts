import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPictureId, type PictureId } from './picture-id.ts'
import { PictureLedger } from './picture-ledger.ts'

const KiB = 1024
const owner = (orgId: string, sandboxId: string) => ({ orgId, sandboxId })
const idAt = (expiresAt: number) => newPictureId(expiresAt, '0123456789ab')
const texts = (ids: readonly PictureId[]) => ids.map(({ text }) => text)

/** Each picture counts with 4 KiB for its links, so that one of 96 KiB takes 100 KiB. */
const size = 96 * KiB

function ledgerOf(limits: { sandbox?: number; organization?: number; node?: number }) {
  const { sandbox = 1e6, organization = 1e6, node = 1e6 } = limits
  const ledger = new PictureLedger({
    sandboxBytes: sandbox * KiB,
    organizationBytes: organization * KiB,
    nodeBytes: node * KiB,
  })
  let at = 1e12
  return {
    ledger,
    take: (orgId: string, sandboxId: string, bytes = size) => {
      const id = idAt(at++)
      return { id, evicted: texts(ledger.add(id, owner(orgId, sandboxId), bytes)) }
    },
  }
}

test('a sandbox above its limit loses its own oldest pictures', () => {
  const { ledger, take } = ledgerOf({ sandbox: 250 })
  const neighbour = take('a', 'quiet')
  const [first, second] = [take('a', 'busy'), take('a', 'busy')]
  assert.deepEqual(take('a', 'busy').evicted, texts([first.id]))
  assert.deepEqual(take('a', 'busy').evicted, texts([second.id]))
  assert.ok(ledger.has(neighbour.id.text))
  assert.ok(!ledger.has(first.id.text))
})

test('an organization above its limit loses the oldest pictures of all of its sandboxes', () => {
  const { take } = ledgerOf({ organization: 250 })
  take('b', 'three')
  const first = take('a', 'one')
  take('a', 'two')
  assert.deepEqual(take('a', 'two').evicted, texts([first.id]))
})

test('a node above its limit takes from the organization that has most, whoever takes the next picture', () => {
  const { take } = ledgerOf({ node: 450 })
  const modest = take('modest', 'm')
  const greedy = [take('greedy', 'g1'), take('greedy', 'g2'), take('greedy', 'g3')]
  assert.deepEqual(take('modest', 'm').evicted, texts(greedy.slice(0, 1).map(({ id }) => id)))
  assert.notEqual(take('greedy', 'g4').evicted[0], modest.id.text)
})

test('tiny pictures count too, and a converted picture counts with its original', () => {
  const { ledger, take } = ledgerOf({ sandbox: 100 })
  const tiny = Array.from({ length: 25 }, () => take('a', 's', 0))
  assert.deepEqual(
    tiny.flatMap(({ evicted }) => evicted),
    [],
  )
  assert.equal(take('a', 's', 0).evicted.length, 1)
  const last = take('a', 's', 0)
  assert.equal(ledger.add(last.id, owner('a', 's'), 40 * KiB).length, 10)
})

test('a picture that is larger than the limit is kept until the next one', () => {
  const { take } = ledgerOf({ sandbox: 50 })
  const large = take('a', 's')
  assert.deepEqual(large.evicted, [])
  assert.deepEqual(take('a', 's').evicted, texts([large.id]))
})

test('pictures that expired, were removed or belong to a removed sandbox no longer count', () => {
  const { ledger, take } = ledgerOf({ sandbox: 250 })
  const [one, two] = [take('a', 's'), take('a', 's')]
  ledger.expire(one.id.expiresAt)
  assert.deepEqual(take('a', 's').evicted, [])
  assert.deepEqual(texts(ledger.ofSandbox('s')).slice(0, 1), texts([two.id]))
  for (const id of ledger.ofSandbox('s')) ledger.remove(id)
  assert.deepEqual([ledger.sandboxIds, ledger.ofSandbox('s')], [[], []])
})
