import assert from 'node:assert/strict'
import { test } from 'node:test'
import { McpPolicy } from '@sandglass/protocol'
import { listingOf, type ToolChoice, toolsOf } from './index.ts'

const policy = McpPolicy.parse({ sandboxShape: 'any' })
const names = (choice: Partial<ToolChoice>) =>
  toolsOf({ policy, tools: {}, isPhone: false, ...choice }).map(tool => listingOf(tool).name)

test('a desktop has the desktop tools, and a phone has the phone tools', () => {
  assert.deepEqual(names({}), ['computer-use', 'shell', 'files', 'open-url', 'user-takeover'])
  assert.deepEqual(names({ isPhone: true }), ['mobile-use', 'user-takeover'])
})

test('each tool can be switched off', () => {
  for (const name of names({})) assert.ok(!names({ tools: { [name]: false } }).includes(name))
  assert.ok(!names({ isPhone: true, tools: { 'mobile-use': false } }).includes('mobile-use'))
})
