import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Action,
  CreateSandboxRequest,
  createMcpServer,
  extendSandbox,
  Length,
  RequestedAction,
  ShellRequest,
  TargetEndpoint,
} from './index.ts'

const half = { type: '/', numerator: 1, denominator: 2 }
const px = { type: 'px', value: 10 }

test('createSandbox accepts shape or shapeName, and both only if they are equal', () => {
  assert.equal(CreateSandboxRequest.parse({ shape: 'a' }).shape, 'a')
  assert.deepEqual(CreateSandboxRequest.parse({ shapeName: 'a', projectId: '' }), {
    shapeName: 'a',
    projectId: '',
    name: 'sandbox',
    maxLifeSeconds: 3600,
    wait: 0,
    egress: 'internet',
    env: {},
    labels: {},
    lifecycle: { onTimeout: 'delete', autoResume: false, onIdle: 'delete' },
    volumes: [],
  })
  assert.ok(CreateSandboxRequest.safeParse({ shape: 'a', shapeName: 'a' }).success)
  assert.ok(!CreateSandboxRequest.safeParse({ shape: 'a', shapeName: 'b' }).success)
  assert.ok(!CreateSandboxRequest.safeParse({ name: 'x' }).success)
  for (const maxLifeSeconds of [0, 86_401, 1.5, '60'])
    assert.ok(!CreateSandboxRequest.safeParse({ shape: 'a', maxLifeSeconds }).success, String(maxLifeSeconds))
})

test('extendSandbox defaults to an hour, even without a body', () => {
  assert.deepEqual(extendSandbox.body?.parse(undefined), { maxLifeSeconds: 3600 })
  assert.ok(!extendSandbox.body?.safeParse({ maxLifeSeconds: 29 }).success)
})

test('a length is pixels or a fraction whose denominator is not 0', () => {
  assert.ok(Length.safeParse(px).success && Length.safeParse(half).success)
  assert.ok(!Length.safeParse({ ...half, denominator: 0 }).success)
  assert.ok(!Length.safeParse({ type: 'px', value: Number.NaN }).success)
  assert.ok(!Length.safeParse({ type: 'em', value: 1 }).success)
})

test('actions get the defaults of the contract', () => {
  const drag = { type: 'mouse:drag', startX: px, startY: px, endX: half, endY: half }
  assert.deepEqual(Action.parse(drag), { ...drag, button: 1 })
  const type = { type: 'keyboard:type', content: 'hi' }
  assert.deepEqual(Action.parse(type), { ...type, treatNewLineAsEnter: false })
  assert.ok(Action.safeParse({ ...type, treatNewLineAsEnter: null }).success)
  for (const button of [0, 32, 1.5, 'left'])
    assert.ok(!Action.safeParse({ type: 'mouse:click', x: px, y: px, button }).success)
  assert.ok(!Action.safeParse({ type: 'keyboard:hotkey', keys: 'a', duration: 5001 }).success)
})

test('the mobile: names of one published client are accepted and converted to those of the contract', () => {
  const renamed: [object, object][] = [
    [
      { type: 'mobile:tap', x: px, y: px },
      { type: 'touch:tap', x: px, y: px },
    ],
    [
      { type: 'mobile:swipe', startX: px, startY: px, endX: half, endY: half, duration: 300 },
      { type: 'touch:drag', startX: px, startY: px, endX: half, endY: half },
    ],
    [
      { type: 'mobile:type', content: 'a' },
      { type: 'keyboard:type', content: 'a', treatNewLineAsEnter: false },
    ],
    [
      { type: 'mobile:hotkey', key: 'Return' },
      { type: 'keyboard:hotkey', keys: 'Return' },
    ],
    [{ type: 'mobile:home' }, { type: 'android:home' }],
    [{ type: 'mobile:back' }, { type: 'android:back' }],
    [{ type: 'mobile:screenshot' }, { type: 'screenshot' }],
    [
      { type: 'mobile:wait', duration: 5 },
      { type: 'wait', duration: 5 },
    ],
    [{ type: 'mobile:finished' }, { type: 'finished' }],
    [
      { type: 'mobile:failed', message: 'no' },
      { type: 'failed', message: 'no' },
    ],
    [
      { type: 'mobile:doubleTap', x: px, y: px },
      { type: 'mobile:doubleTap', x: px, y: px },
    ],
  ]
  for (const [sent, meant] of renamed) assert.deepEqual(RequestedAction.parse(sent), meant)
  assert.ok(
    !Action.safeParse({ type: 'mobile:doubleTap', x: px, y: px }).success,
    'responses do not contain it',
  )
})

test('a target endpoint is a loopback IPv4 address or localhost with a canonical port', () => {
  for (const good of ['127.0.0.1:3000', 'localhost:1', '127.9.8.7:65535', '0.0.0.0:80'])
    assert.ok(TargetEndpoint.safeParse(good).success, good)
  for (const bad of [
    '127.0.0.1:02280',
    '127.0.0.1:+80',
    'example.com:80',
    '[::1]:80',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.1:80',
    '0x7f.0.0.1:80',
    '10.0.0.2:80',
    '169.254.169.254:80',
    '1270.0.0.1:80',
    '256.0.0.1:80',
    'localhost',
    ' localhost:80',
    'localhost:80\n',
  ])
    assert.ok(!TargetEndpoint.safeParse(bad).success, bad)
})

test('an MCP server needs a shape, and its policy has the defaults of the contract', () => {
  assert.ok(!createMcpServer.body?.safeParse({ name: 'm' }).success)
  assert.deepEqual(createMcpServer.body?.parse({ name: 'm', sandboxShape: 's' }), {
    name: 'm',
    sandboxShape: 's',
    sandboxMaxLifetimeSeconds: 3600,
    sandboxMaxIdleTimeSeconds: 3600,
    sandboxAutoCreation: false,
    sandboxExposeRecreateTool: false,
    sandboxExposeRestartTool: false,
    sandboxExposeDeleteTool: false,
    tools: {
      'computer-use': true,
      'mobile-use': true,
      shell: true,
      files: true,
      'open-url': true,
      'user-takeover': true,
    },
    screenLongestSide: 1280,
  })
})

test('the timeout of a shell is limited', () => {
  assert.equal(ShellRequest.parse({ command: 'ls' }).useTty, false)
  assert.ok(!ShellRequest.safeParse({ command: 'ls', timeoutSeconds: 0 }).success)
  assert.ok(!ShellRequest.safeParse({ command: 'ls', timeoutSeconds: 86_401 }).success)
})
