import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type OpenaiTools, openaiTools, SafetyCheckError } from '@sandglass/client/tools'
import {
  assertEffect,
  base64In,
  box,
  type Case,
  functionText,
  pointer,
  run,
  seen,
  sizeOf,
} from './watched-desktop.ts'

describe('OpenAI', () => {
  const cases: readonly Case[] = [
    { call: { type: 'screenshot' } },
    { call: { type: 'move', x: 400, y: 300 }, pointer: [500, 375] },
    { call: { type: 'click', x: 320, y: 440, button: 'left' }, buttons: [1], pointer: [400, 550] },
    { call: { type: 'click', x: 320, y: 440, button: 'right' }, buttons: [3] },
    { call: { type: 'click', x: 320, y: 440, button: 'wheel' }, buttons: [2] },
    {
      call: { type: 'click', x: 320, y: 440, button: 'left', keys: ['CTRL'] },
      buttons: [1],
      keys: ['Control_L'],
    },
    { call: { type: 'double_click', x: 320, y: 440, keys: null }, buttons: [1, 1] },
    {
      call: {
        type: 'drag',
        path: [
          { x: 320, y: 440 },
          { x: 640, y: 480 },
        ],
      },
      buttons: [1],
      pointer: [800, 600],
    },
    { call: { type: 'scroll', x: 320, y: 440, scroll_x: 0, scroll_y: -200 }, buttons: [4, 4] },
    { call: { type: 'keypress', keys: ['SHIFT', 'F7'] }, keys: ['Shift_L', 'F7'] },
    { call: { type: 'type', text: 'xy' }, keys: ['x', 'y'] },
    { call: { type: 'wait' } },
  ]
  const item = (actions: unknown[], more: object = {}) => ({
    type: 'computer_call',
    id: 'item',
    call_id: 'call-1',
    status: 'completed',
    pending_safety_checks: [],
    actions,
    ...more,
  })
  let tools: OpenaiTools
  before(async () => {
    tools = await openaiTools(box, { format: 'png' })
  })

  for (const each of cases)
    test(`${each.call['type']} has its effect, and is answered with a picture`, async () => {
      await seen()
      const [output, ...rest] = await tools.run([{ type: 'reasoning' }, item([each.call])])
      assert.deepEqual(rest, [])
      assert.ok(output?.type === 'computer_call_output')
      assert.equal(output.call_id, 'call-1')
      assert.deepEqual(await sizeOf(base64In(output.output.image_url, 'image/png')), [1280, 720])
      await assertEffect(each)
    })

  test('several actions of one call are performed in order, and so is the single one of the preview', async () => {
    await seen()
    const { action: _, ...several } = item([
      { type: 'click', x: 320, y: 440, button: 'left' },
      { type: 'type', text: 'q' },
    ]) as Record<string, unknown> & { type: string }
    await tools.run([several])
    await assertEffect({ call: {}, buttons: [1], keys: ['q'] })
    const { actions: __, ...single } = item([], { action: { type: 'keypress', keys: ['z'] } })
    await tools.run([single])
    await assertEffect({ call: {}, keys: ['z'] })
  })

  test('a safety check has to be acknowledged by the caller before anything is done', async () => {
    await seen()
    const check = { id: 'check-1', code: 'sensitive_domain', message: 'This is a bank.' }
    const call = item([{ type: 'keypress', keys: ['F8'] }], { pending_safety_checks: [check] })
    await assert.rejects(tools.run([call]), (error: SafetyCheckError) => {
      assert.ok(error instanceof SafetyCheckError)
      assert.deepEqual(error.checks, [check])
      assert.match(error.message, /This is a bank/)
      return true
    })
    const refusing = await openaiTools(box, { acknowledge: () => false })
    await assert.rejects(refusing.run([call]), SafetyCheckError)
    assert.deepEqual(await seen(), { buttons: [], keys: [] })
    const asked: unknown[] = []
    const agreeing = await openaiTools(box, { acknowledge: checks => asked.push(...checks) > 0 })
    const [output] = await agreeing.run([call])
    assert.deepEqual(asked, [check])
    assert.ok(output?.type === 'computer_call_output')
    assert.deepEqual(output.acknowledged_safety_checks, [check])
    await assertEffect({ call: {}, keys: ['F8'] })
  })

  test('what is wrong with a call is told to the model, with a picture', async () => {
    for (const [call, message] of [
      [item([{ type: 'type', text: 'n' }, { type: 'fly' }]), /no action fly\. Nothing was done\. Use one of/],
      [item([]), /no action/],
      [item([{ type: 'click', x: 9000, y: 1, button: 'left' }]), /outside an image of 1280x720/],
    ] as const) {
      await seen()
      const [output, message_] = await tools.run([call])
      assert.ok(output?.type === 'computer_call_output' && message_?.type === 'message')
      assert.match(message_.content[0]?.text ?? '', message)
      assert.deepEqual(await seen(), { buttons: [], keys: [] })
    }
  })

  test('functions are those of MCP servers', async () => {
    const functions = await openaiTools(box, { computer: 'function' })
    const call = (name: string, given: unknown) => ({
      type: 'function_call',
      call_id: 'call-2',
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })
    const outputs = await functions.run([
      call('computer-use', { action: 'move', coordinate: [400, 300] }),
      call('shell', { command: 'echo $((6 * 7))' }),
      call('files', { action: 'create', path: 'b.txt', content: 'hi' }),
      call('shell', '{'),
      call('shell', {}),
      call('oven', {}),
    ])
    const texts = outputs.map(functionText)
    assert.match(
      texts[0] ?? '',
      /Moved the pointer\. The picture is 1280x720; the pointer is at \[400, 300\]/,
    )
    assert.deepEqual(await pointer(), [500, 375])
    assert.equal(texts[1], '42\n\nIt ended with exit code 0.')
    assert.equal(await run('cat b.txt'), 'hi')
    assert.match(texts[3] ?? '', /^Error: The arguments of shell are not JSON/)
    assert.match(texts[4] ?? '', /^Error: The arguments of shell are not valid: command/)
    assert.match(texts[5] ?? '', /^Error: There is no function oven\. Use one of: computer-use, shell, files/)
  })
})
