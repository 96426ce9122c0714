import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { MappingTokens } from './tokens.ts'

const key = createSecretKey(Buffer.alloc(32, 1))
const tokens = new MappingTokens(key)

test('a token belongs to one mapping and one holder, and any process with the key knows both', () => {
  const token = tokens.of('m1', 'apiKey:1')
  assert.equal(new MappingTokens(key).holderOf('m1', token), 'apiKey:1')
  assert.equal(tokens.holderOf('m1', token), 'apiKey:1')
  assert.equal(tokens.holderOf('m2', token), undefined)
  assert.notEqual(tokens.of('m1', 'apiKey:2'), token)
  assert.equal(tokens.holderOf('m1', tokens.of('m1', 'user:17:Zoë')), 'user:17:Zoë')
})

test('a token with another holder, another proof, another key or no holder is refused', () => {
  const token = tokens.of('m1', 'apiKey:1')
  const [, proof] = token.split('.')
  const forged = `sgm_${Buffer.from('apiKey:2').toString('base64url')}.${proof}`
  const other = new MappingTokens(createSecretKey(Buffer.alloc(32, 2))).of('m1', 'apiKey:1')
  const withoutHolder = `sgm_${createHmac('sha256', key).update('mapping m1').digest('base64url')}`
  for (const wrong of [forged, other, withoutHolder, token.slice(0, -1), `${token}A`, '', 'sgm_.'])
    assert.equal(tokens.holderOf('m1', wrong), undefined, wrong)
})
