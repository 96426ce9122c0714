import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedMachine, MachineOwner } from '@sandglass/machines/contract'
import { belongingOf } from './belonging.ts'

const ledger = { installation: 'here', nodeId: 'me', lastNumber: 5 }
const noneLeftAlone = new Set<string>()

function machine(owner?: Partial<MachineOwner>): ListedMachine {
  return {
    id: 'm',
    handle: { engine: 'local', version: 1, state: { id: 'm' } },
    ...(owner && { owner: { installation: 'here', node: 'me', number: 1, ...owner } }),
  }
}

test('a machine that has a row is claimed, regardless of its owner', () => {
  for (const one of [machine(), machine({ installation: 'elsewhere' }), machine({ number: 6 })])
    assert.equal(belongingOf(one, 'node', true, ledger, noneLeftAlone), 'claimed')
})

test('only a machine that this database numbered for this node is forgotten', () => {
  assert.equal(belongingOf(machine({ number: 5 }), 'node', false, ledger, noneLeftAlone), 'forgotten')
  assert.equal(belongingOf(machine({ number: 6 }), 'node', false, ledger, noneLeftAlone), 'newer')
  assert.equal(belongingOf(machine({ node: 'another' }), 'node', false, ledger, noneLeftAlone), 'other-node')
  assert.equal(
    belongingOf(machine({ installation: 'else' }), 'node', false, ledger, noneLeftAlone),
    'other-installation',
  )
  assert.equal(belongingOf(machine(), 'node', false, ledger, noneLeftAlone), 'unknown')
})

test('a machine that was once newer than the database remains newer', () => {
  assert.equal(belongingOf(machine({ number: 5 }), 'node', false, ledger, new Set(['m'])), 'newer')
})

test("on a shared engine, machines of other nodes and installations are neighbours, and this node's own are not", () => {
  const of = (owner?: Partial<MachineOwner>) =>
    belongingOf(machine(owner), 'shared', false, ledger, noneLeftAlone)
  assert.equal(of({ node: 'another' }), 'neighbour')
  assert.equal(of({ installation: 'else' }), 'neighbour')
  assert.equal(of({ number: 5 }), 'forgotten')
  assert.equal(of({ number: 6 }), 'newer')
  assert.equal(of(), 'unknown')
})
