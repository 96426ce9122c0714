import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import { complement, rulesOf } from './destinations.ts'

const around = { members: ['203.0.113.7'], resolvers: ['10.77.0.53'] }

test('the rest of all addresses is complete, and has none of what is left out', () => {
  assert.deepEqual(complement([]), ['0.0.0.0/0'])
  assert.deepEqual(complement(['0.0.0.0/1']), ['128.0.0.0/1'])
  const rest = new BlockList()
  for (const cidr of complement(['10.0.0.0/8', '192.168.0.0/16', '224.0.0.0/3'])) {
    const [address = '', length] = cidr.split('/')
    rest.addSubnet(address, Number(length))
  }
  for (const inside of [
    '0.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
  ])
    assert.ok(rest.check(inside), inside)
  for (const outside of [
    '10.0.0.0',
    '10.255.255.255',
    '192.168.0.0',
    '192.168.255.255',
    '224.0.0.0',
    '255.255.255.255',
  ])
    assert.ok(!rest.check(outside), outside)
})

test('members are never among the destinations, and resolvers only for names', () => {
  const [first, ...others] = rulesOf('internet', around)
  assert.deepEqual([first?.action, first?.destination], ['drop', '203.0.113.7'])
  assert.ok(others.every(({ action }) => action === 'allow'))
  assert.deepEqual(
    others.filter(({ destination }) => destination === '10.77.0.53').map(rule => rule.destination_port),
    ['53', '53'],
  )
  assert.throws(() => rulesOf([{ host: 'example.com' }], around), /use networks/)
})
