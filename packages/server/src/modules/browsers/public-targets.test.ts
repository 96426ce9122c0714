import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicTargets } from './public-targets.ts'

const wsUrl = 'wss://sandboxes.example/cdp/token'
const rewritten = (target: object) => JSON.parse(publicTargets(JSON.stringify(target), wsUrl))

test('addresses lead to the service, and the DevTools of Chromium to them', () => {
  assert.deepEqual(
    rewritten([
      {
        id: 'A1',
        title: 'ws://127.0.0.1:6667/devtools/page/A1',
        devtoolsFrontendUrl: 'https://evil.example/inspector.html?ws=127.0.0.1:6667/devtools/page/A1',
        devtoolsFrontendUrlCompat: 'https://evil.example/',
        webSocketDebuggerUrl: 'ws://127.0.0.1:6667/devtools/page/A1',
      },
    ]),
    [
      {
        id: 'A1',
        title: 'ws://127.0.0.1:6667/devtools/page/A1',
        devtoolsFrontendUrl:
          'devtools://devtools/bundled/inspector.html?wss=sandboxes.example/cdp/token/devtools/page/A1',
        webSocketDebuggerUrl: `${wsUrl}/devtools/page/A1`,
      },
    ],
  )
})

test('an address that is none of a browser is left out', () => {
  for (const webSocketDebuggerUrl of [
    'ws://127.0.0.1/api/orgs',
    'javascript:alert(1)',
    'ws://x/devtools/page/../../y',
    7,
  ])
    assert.deepEqual(rewritten({ id: 'A1', webSocketDebuggerUrl }), { id: 'A1' })
})

test('what is not a list of targets, or too long to be one, is an error of the browser', () => {
  for (const answer of [
    '',
    '<html>',
    '"text"',
    '[1]',
    'null',
    JSON.stringify({ title: 'x'.repeat(3_000_000) }),
  ])
    assert.throws(() => publicTargets(answer, wsUrl), { code: 'browser.FAILED' })
})
