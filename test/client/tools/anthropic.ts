import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type AnthropicTools, anthropicTools } from '@sandglass/client/tools'
import sharp from 'sharp'
import { assertEffect, box, type Case, client, run, seen, sizeOf, textOf } from './watched-desktop.ts'

describe('Anthropic', () => {
  const cases: readonly Case[] = [
    { call: { action: 'screenshot' } },
    { call: { action: 'mouse_move', coordinate: [400, 300] }, pointer: [500, 375] },
    { call: { action: 'left_click', coordinate: [320, 240] }, buttons: [1], pointer: [400, 300] },
    { call: { action: 'right_click', coordinate: [320, 240] }, buttons: [3] },
    { call: { action: 'middle_click', coordinate: [320, 240] }, buttons: [2] },
    { call: { action: 'double_click', coordinate: [320, 240] }, buttons: [1, 1] },
    { call: { action: 'triple_click', coordinate: [320, 240] }, buttons: [1, 1, 1] },
    {
      call: { action: 'left_click', coordinate: [320, 240], text: 'shift' },
      buttons: [1],
      keys: ['Shift_L'],
    },
    {
      call: { action: 'left_click_drag', start_coordinate: [320, 240], coordinate: [640, 480] },
      buttons: [1],
      pointer: [800, 600],
    },
    {
      call: { action: 'scroll', coordinate: [320, 240], scroll_direction: 'down', scroll_amount: 2 },
      buttons: [5, 5],
    },
    { call: { action: 'key', text: 'F5' }, keys: ['F5'] },
    { call: { action: 'hold_key', text: 'F6', duration: 0.1 }, keys: ['F6'] },
    { call: { action: 'type', text: 'ab' }, keys: ['a', 'b'] },
    { call: { action: 'wait', duration: 0.1 } },
  ]
  const use = (input: unknown, name = 'computer') => [{ type: 'tool_use', id: 'call-1', name, input }]
  let tools: AnthropicTools
  before(async () => {
    tools = await anthropicTools(box, { computer: 'computer_20251124' })
  })

  for (const each of cases)
    test(`${each.call['action']} has its effect, and is answered with a picture`, async () => {
      await seen()
      const [result] = await tools.run(use(each.call))
      assert.ok(result)
      const { content, ...rest } = result
      assert.deepEqual(rest, { type: 'tool_result', tool_use_id: 'call-1' })
      const [image] = content
      assert.ok(image?.type === 'image' && image.source.media_type === 'image/webp')
      assert.deepEqual(await sizeOf(image.source.data), [1280, 720])
      await assertEffect(each)
    })

  test('the toolset has an action per tool, and says which toolset an answer is for', async () => {
    const set = await anthropicTools(box)
    await seen()
    const calls = [
      { type: 'text' },
      {
        type: 'tool_use',
        id: 'a',
        name: 'left_click',
        toolset_name: 'computer',
        input: { coordinate: [8, 8] },
      },
      { type: 'tool_use', id: 'b', name: 'cursor_position', toolset_name: 'computer', input: {} },
    ]
    const [clicked, position] = await set.run(calls)
    assert.equal(clicked?.toolset_name, 'computer')
    assert.deepEqual(position, {
      type: 'tool_result',
      tool_use_id: 'b',
      content: [{ type: 'text', text: 'X=8,Y=8' }],
      toolset_name: 'computer',
    })
    assert.deepEqual(set.betas, [])
  })

  test('zoom shows an area in the pixels of the screen', async () => {
    await run('xsetroot -solid "#102030"; xdotool search --name "Event Tester" windowmove 100 400')
    const [result] = await tools.run(use({ action: 'zoom', region: [0, 0, 64, 36] }))
    const image = result?.content[0]
    assert.ok(image?.type === 'image' && image.source.media_type === 'image/png')
    const { data, info } = await sharp(Buffer.from(image.source.data, 'base64'))
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.deepEqual([info.width, info.height], [1280, 720])
    const whole = await client.previewSandbox({
      sandboxId: box.id,
      body: { includeImage: true, screenShotFormat: 'png' },
    })
    const { data: screen } = await sharp(Buffer.from(whole.image?.base64 ?? '', 'base64'))
      .raw()
      .toBuffer({ resolveWithObject: true })
    for (const [x, y] of [
      [0, 0],
      [40, 20],
      [79, 44],
    ] as const) {
      const at = (Math.floor(y * 16 + 8) * 1280 + x * 16 + 8) * 3
      const from = (y * 1600 + x) * 3
      assert.deepEqual([...data.subarray(at, at + 3)], [...screen.subarray(from, from + 3)])
    }
  })

  test('bash continues where it was, and restarts', async () => {
    const bash = async (input: object) => {
      const [result] = await tools.run(use(input, 'bash'))
      assert.equal(result?.is_error, undefined)
      return result?.content[0]?.type === 'text' ? result.content[0].text : ''
    }
    await bash({ command: 'cd /var/log; export PLACE="it\'s here"; greet() { echo "hello $1"; }; false' })
    assert.equal(
      await bash({ command: 'pwd; echo "$PLACE"; greet you; exit 3' }),
      "/var/log\nit's here\nhello you\n\nIt ended with exit code 3.",
    )
    assert.match(await bash({ command: 'pwd' }), /^\/var\/log\n/)
    await bash({ restart: true })
    assert.doesNotMatch(await bash({ command: 'pwd; echo "$PLACE"' }), /log|here/)
  })

  test('the text editor views, creates, replaces and inserts', async () => {
    const edit = async (input: object) => {
      const [result] = await tools.run(use(input, 'str_replace_based_edit_tool'))
      return { text: textOf(result?.content), isError: result?.is_error }
    }
    await edit({ command: 'create', path: 'notes/a.txt', file_text: 'one\ntwo\n' })
    await run('chmod 755 notes/a.txt')
    await edit({ command: 'str_replace', path: 'notes/a.txt', old_str: 'two', new_str: 'zwei' })
    await edit({ command: 'insert', path: 'notes/a.txt', insert_line: 0, insert_text: 'zero' })
    assert.equal(await run('cat notes/a.txt; stat -c %a notes/a.txt'), 'zero\none\nzwei\n755\n')
    assert.equal(
      (await edit({ command: 'view', path: 'notes/a.txt', view_range: [2, -1] })).text,
      '2\tone\n3\tzwei',
    )
    assert.equal((await edit({ command: 'view', path: 'notes' })).text, 'a.txt\t14 bytes')
    for (const [input, message] of [
      [{ command: 'str_replace', path: 'notes/a.txt', old_str: 'x', new_str: '' }, /is not in the file/],
      [{ command: 'view', path: 'missing' }, /file\.NOT_FOUND/],
      [{ command: 'view', path: '/bin/ls' }, /is not UTF-8 text/],
      [{ command: 'undo_edit', path: 'notes/a.txt' }, /must be view, create, str_replace or insert/],
    ] as const) {
      const { text, isError } = await edit(input)
      assert.ok(isError)
      assert.match(text, message)
    }
  })

  test('what follows a failed call in the same message is not done to the screen', async () => {
    await seen()
    const [clicked, typed, ran] = await tools.run([
      ...use({ action: 'left_click', coordinate: [-5, 10] }),
      ...use({ action: 'type', text: 'lost' }),
      ...use({ command: 'echo still here' }, 'bash'),
    ])
    assert.deepEqual([clicked?.is_error, typed?.is_error, ran?.is_error], [true, true, undefined])
    assert.match(textOf(typed?.content), /not done, because a call before it failed/)
    assert.deepEqual(await seen(), { buttons: [], keys: [] })
  })

  test('what is wrong with a call is told to the model', async () => {
    for (const [call, message] of [
      [use({ action: 'fly' }), /no action fly\. Use one of: screenshot, left_click/],
      [use({}), /arguments of computer are not valid: action/],
      [use({ action: 'left_click', coordinate: [5000, 10] }), /outside an image of 1280x720/],
      [use({ action: 'left_mouse_down' }), /no action left_mouse_down/],
      [use({ action: 'zoom', region: [10, 10, 10, 20] }), /region is empty/],
      [use({ action: 'zoom', region: [0, 0, 9000, 20] }), /within the picture, which is 1280x720/],
      [use({}, 'oven'), /no tool oven\. Use one of: computer, bash/],
    ] as const) {
      const [result] = await tools.run(call)
      assert.equal(result?.is_error, true)
      assert.match(textOf(result.content), message)
    }
  })
})
