import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Sandglass } from '@sandglass/client'
import {
  type AnthropicTools,
  anthropicTools,
  type OpenaiInputItem,
  type OpenaiTools,
  openaiTools,
  SafetyCheckError,
  type VercelTool,
  vercelTools,
} from '@sandglass/client/tools'
import { waitFor } from '@sandglass/machines/testing'
import sharp from 'sharp'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { anthropicRequest, openaiRequest, refusals } from './tool-schemas.ts'

const { service } = await startMachineService()
const client = new Sandglass(service.service.credentials)
const sandbox = await client.createSandbox({
  body: { shapeName: 'small', wait: 60, screen: { width: 1600, height: 900 } },
})
const box = { id: sandbox.id, client }

async function run(command: string): Promise<string> {
  const { stdoutBase64 } = await client.execSandboxProcess({
    sandboxId: box.id,
    body: { executable: 'bash', args: ['-lc', command] },
  })
  return Buffer.from(stdoutBase64, 'base64').toString()
}

const counted = { buttons: 0, keys: 0 }

/** What a window has seen since the last call: buttons that were pressed, and keys. */
async function seen(): Promise<{ buttons: number[]; keys: string[] }> {
  const text = await run('cat events')
  const buttons = [...text.matchAll(/ButtonPress[\s\S]*?button (\d)/g)].map(([, button]) => Number(button))
  const keys = [...text.matchAll(/KeyPress event[\s\S]*?keysym 0x\w+, (\w+)/g)].map(([, key]) => String(key))
  const fresh = { buttons: buttons.slice(counted.buttons), keys: keys.slice(counted.keys) }
  Object.assign(counted, { buttons: buttons.length, keys: keys.length })
  return fresh
}
const pointer = async () =>
  /x:(\d+) y:(\d+)/
    .exec(await run('xdotool getmouselocation'))
    ?.slice(1)
    .map(Number)

before(async () => {
  await run('nohup xev -geometry 1400x700+100+100 -event mouse -event keyboard > events 2>&1 &')
  await waitFor(async () => (await run('xdotool search --name "Event Tester"')) !== '')
})

/** What an action does to the screen of 1600x900, of which the model sees a picture of 1280x720. */
interface Case {
  readonly call: Record<string, unknown>
  readonly buttons?: readonly number[]
  readonly keys?: readonly string[]
  readonly pointer?: readonly number[]
}

async function assertEffect({ buttons = [], keys = [], pointer: place }: Case): Promise<void> {
  const all = { buttons: [] as number[], keys: [] as string[] }
  await waitFor(async () => {
    const more = await seen()
    all.buttons.push(...more.buttons)
    all.keys.push(...more.keys)
    return all.buttons.length >= buttons.length && all.keys.length >= keys.length
  })
  assert.deepEqual(all, { buttons, keys })
  if (place) assert.deepEqual(await pointer(), place)
}

async function sizeOf(base64: string): Promise<number[]> {
  const { width, height } = await sharp(Buffer.from(base64, 'base64')).metadata()
  return [width, height]
}

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

describe('Vercel', () => {
  let tools: Record<string, VercelTool>
  before(async () => {
    tools = await vercelTools(box, { longestSide: 800 })
  })

  test('tools carry their schema, perform calls and convert what came of them', async () => {
    assert.deepEqual(Object.keys(tools), ['computer-use', 'shell', 'files'])
    const computer = tools['computer-use']
    assert.ok(computer)
    const output = await computer.execute({ action: 'move', coordinate: [100, 100] })
    assert.deepEqual(await pointer(), [201, 201])
    const told = computer.toModelOutput({ output })
    assert.ok(told.type === 'content')
    const image = told.value[1]
    assert.ok(image?.type === 'image-data')
    assert.deepEqual([image.mediaType, ...(await sizeOf(image.data))], ['image/webp', 800, 450])
    const failed = await computer.execute({ action: 'click', coordinate: [800, 0] })
    assert.deepEqual(computer.toModelOutput({ output: failed }).type, 'error-text')
    assert.match(failed.text, /800 wide and 450 high/)
  })

  test('a call ends when its signal is aborted', async () => {
    const stop = new AbortController()
    const waiting = tools['shell']?.execute({ command: 'sleep 60' }, { abortSignal: stop.signal })
    stop.abort(new Error('stopped by the caller'))
    await assert.rejects(async () => waiting, /stopped by the caller/)
  })
})

test('definitions are what the vendors document', async () => {
  for (const computer of [
    'computer_toolset_20260801',
    'computer_20251124',
    'computer_20250124',
    'function',
  ] as const) {
    const { definitions, betas } = await anthropicTools(box, { computer })
    assert.deepEqual(refusals(anthropicRequest, { tools: definitions, betas }), [])
  }
  for (const computer of ['computer', 'computer_use_preview', 'function'] as const) {
    const { definitions } = await openaiTools(box, { computer })
    assert.deepEqual(refusals(openaiRequest, { tools: definitions }), [])
  }
  const few = await openaiTools(box, { shell: false, files: false })
  assert.deepEqual(few.definitions, [{ type: 'computer' }])
})

test('a failure about which a model can do nothing ends the loop', async () => {
  const gone = await client.createSandbox({ body: { shapeName: 'small', wait: 60 } })
  const tools = await openaiTools({ id: gone.id, client })
  await client.deleteSandbox({ sandboxId: gone.id })
  const call = { type: 'computer_call', call_id: 'x', actions: [{ type: 'screenshot' }] }
  await assert.rejects(tools.run([call]), { code: 'sandbox.NOT_FOUND' })
})

function textOf(content: readonly { readonly type: string; readonly text?: string }[] = []): string {
  return content.map(({ text = '' }) => text).join('')
}

function functionText(item: OpenaiInputItem): string {
  return item.type === 'function_call_output' && item.output[0]?.type === 'input_text'
    ? item.output[0].text
    : ''
}

function base64In(url: string, mediaType: string): string {
  const start = `data:${mediaType};base64,`
  assert.ok(url.startsWith(start))
  return url.slice(start.length)
}
