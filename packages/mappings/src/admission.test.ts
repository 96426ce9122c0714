import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { ApiError } from '@sandglass/protocol'
import { admit, mappingTokens } from './admission.ts'

const token = 'the-token'

/** Returns whether a browser that has the cookie is admitted with these headers. */
function isAdmitted(headers: IncomingHttpHeaders, method = 'GET'): boolean {
  const known = { host: 'm-1.apps.example', cookie: `sandglass-mapping=${token}` }
  const holderOf = (given: string) => (given === token ? 'somebody' : undefined)
  try {
    return (
      admit({ method, url: '/', headers: { ...known, ...headers } }, holderOf, false, mappingTokens).kind ===
      'pass'
    )
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'mapping.UNAUTHORIZED')
    return false
  }
}

const image = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
const opened = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const framed = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }

for (const site of ['same-site', 'cross-site'])
  test(`the cookie does not admit what a ${site} page loads without an Origin`, () => {
    const from = { 'sec-fetch-site': site }
    assert.equal(isAdmitted({ ...from, ...image }), false, 'an image')
    assert.equal(isAdmitted({ ...from, ...framed }), false, 'a frame')
    assert.equal(isAdmitted({ ...from, ...opened }, 'POST'), false, 'a form')
    assert.equal(isAdmitted({ ...from, ...opened, upgrade: 'websocket' }), false, 'a WebSocket')
    assert.equal(isAdmitted(from), false, 'anything else')
  })

test('the cookie admits pages of the mapping itself, typed addresses, links and programs', () => {
  assert.equal(isAdmitted({ 'sec-fetch-site': 'same-origin', ...image }), true)
  assert.equal(isAdmitted({ 'sec-fetch-site': 'same-origin', upgrade: 'websocket' }), true)
  assert.equal(isAdmitted({ 'sec-fetch-site': 'none', ...opened }), true)
  assert.equal(isAdmitted({ 'sec-fetch-site': 'cross-site', ...opened }), true)
  assert.equal(isAdmitted({}), true)
})
