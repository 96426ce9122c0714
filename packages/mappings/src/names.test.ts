import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MappingNames } from './names.ts'

const id = '0123456789abcdef0123'
const local = new MappingNames(() => 'localhost:4780')
const own = new MappingNames(() => 'apps.example.org')

test('a mapping is found by every spelling of its host', () => {
  assert.equal(local.domainOf(id), `m-${id}.localhost:4780`)
  assert.equal(own.domainOf(id), `m-${id}.apps.example.org`)
  for (const host of [`m-${id}.localhost`, `M-${id}.LOCALHOST:1`, `m-${id}.localhost.:4780`])
    assert.equal(local.idOf(host), id, host)
  for (const host of [`m-${id}.apps.example.org`, `m-${id}.apps.example.org.`])
    assert.equal(own.idOf(host), id)
})

test('a host that only resembles that of a mapping is not one', () => {
  const others = [
    `m-${id}`,
    `m-${id}x.localhost`,
    `x.m-${id}.localhost`,
    `m-${id}.evil-localhost`,
    'localhost',
    undefined,
  ]
  for (const host of others) assert.equal(local.idOf(host), undefined, host)
  assert.equal(own.idOf(`m-${id}.apps.example.org.evil.example`), undefined)
})

test('below a custom domain every name belongs to mappings, below localhost only names with their prefix', () => {
  assert.ok(own.claims('anything.apps.example.org'))
  assert.ok(!own.claims('apps.example.org'))
  assert.ok(!own.claims(`m-${id}.localhost`))
  assert.ok(local.claims('m-nothing.localhost:4780'))
  for (const host of ['localhost:4780', 'api.localhost', '127.0.0.1', undefined])
    assert.ok(!local.claims(host))
})
