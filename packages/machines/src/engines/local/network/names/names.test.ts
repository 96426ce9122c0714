import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decode, encode, type Packet } from 'dns-packet'
import { type Answering, answerQuery } from './answer.ts'
import type { Found } from './messages.ts'
import { addressesIn } from './resolve.ts'

const machine = '198.18.0.1'
const hosts = [
  { host: 'one.test', rule: 0 },
  { host: '*.below.test', rule: 2 },
]

function answeringWith(isOpen = true): Answering & { readonly opened: Found[]; readonly asked: string[] } {
  const opened: Found[] = []
  const asked: string[] = []
  return {
    opened,
    asked,
    machineAt: address => (address === machine ? { address, hosts } : undefined),
    resolve: async name => {
      asked.push(name)
      return { addresses: ['203.0.113.1', '203.0.113.2'], seconds: 3600 }
    },
    open: async (_, found) => {
      opened.push(found)
      return isOpen
    },
  }
}

const queryFor = (name: string, more: Packet = {}) =>
  encode({ type: 'query', id: 9, questions: [{ type: 'A', name }], ...more })

it('answers with the addresses of a host once the machine can reach them', async () => {
  const answering = answeringWith()
  const reply = decode((await answerQuery(queryFor('X.Below.test'), machine, answering)) ?? Buffer.of())
  assert.deepEqual(
    reply.answers?.map(one => (one.type === 'A' ? [one.name, one.data, one.ttl] : [])),
    [
      ['X.Below.test', '203.0.113.1', 300],
      ['X.Below.test', '203.0.113.2', 300],
    ],
  )
  assert.equal(reply.id, 9)
  assert.deepEqual(answering.asked, ['x.below.test'], 'the case of the letters says nothing either')
  const found = { rules: [2], addresses: ['203.0.113.1', '203.0.113.2'], seconds: 3600 }
  assert.deepEqual(answering.opened, [found])

  const closed = await answerQuery(queryFor('one.test'), machine, answeringWith(false))
  assert.deepEqual(
    decode(closed ?? Buffer.of()).answers,
    [],
    'addresses that cannot be reached are not given',
  )
})

it('asks the resolver nothing about other names, other types and for other machines', async () => {
  const answering = answeringWith()
  const queries: [Buffer, string][] = [
    [queryFor('two.test'), machine],
    [queryFor('secret.one.test'), machine],
    [queryFor('one.test', { questions: [{ type: 'TXT', name: 'one.test' }] }), machine],
    [queryFor('one.test', { flags: 1 << 11 }), machine],
    [queryFor('one.test'), '198.18.0.2'],
  ]
  for (const [query, from] of queries) {
    const reply = await answerQuery(query, from, answering)
    assert.deepEqual(decode(reply ?? Buffer.of()).answers, [])
  }
  assert.deepEqual([answering.asked, answering.opened], [[], []])
})

it('survives whatever a machine sends', async () => {
  let seed = 20_261_116
  const random = (max: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((seed / 2 ** 32) * max)
  }
  const answering = answeringWith()
  for (let round = 0; round < 5000; round++) {
    const query = Buffer.from(queryFor('x.below.test'))
    for (let i = random(6); i >= 0; i--) query[random(query.length)] = random(256)
    const bytes = round % 3 === 0 ? Buffer.from(Array.from({ length: random(80) }, () => random(256))) : query
    await answerQuery(bytes.subarray(0, random(bytes.length + 1)), machine, answering)
  }
  for (const name of answering.asked) assert.match(name, /^one\.test$|\.below\.test$/)
})

it('follows aliases, and ignores addresses of names that were not asked for', () => {
  const answers: Packet['answers'] = [
    { type: 'CNAME', name: 'one.test', data: 'CDN.test' },
    { type: 'CNAME', name: 'cdn.test', data: 'edge.test' },
    { type: 'A', name: 'edge.test', data: '203.0.113.1', ttl: 30 },
    { type: 'A', name: 'other.test', data: '203.0.113.66', ttl: 1 },
  ]
  assert.deepEqual(addressesIn({ answers }, 'one.test'), { addresses: ['203.0.113.1'], seconds: 30 })
  const loop: Packet['answers'] = [
    { type: 'CNAME', name: 'one.test', data: 'two.test' },
    { type: 'CNAME', name: 'two.test', data: 'one.test' },
  ]
  assert.deepEqual(addressesIn({ answers: loop }, 'one.test')?.addresses, [])
  assert.equal(addressesIn({ flags: 3 }, 'one.test'), undefined)
  assert.throws(() => addressesIn({ flags: 5 }, 'one.test'), /code 5/)
})
