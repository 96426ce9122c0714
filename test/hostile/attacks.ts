import type { Asked } from '../faults/calls.ts'
import type { Attack } from './attack.ts'

const act = (action: object): Asked => ({
  what: 'executeSandboxAction',
  method: 'POST',
  path: '/actions/execute',
  json: { action, settle: 'none' },
})
const px = (value: number) => ({ type: 'px', value })
const screenshot = act({ type: 'screenshot' })
const click = act({ type: 'mouse:click', button: 1, x: px(20), y: px(20) })
const typing = act({ type: 'keyboard:type', content: 'hostile' })

const list: Asked = { what: 'listSandboxFiles', method: 'GET', path: '/files?path=/usr' }
const read: Asked = { what: 'readFile', method: 'GET', path: '/files/content?path=/etc/hostname' }
const exec: Asked = {
  what: 'execSandboxProcess',
  method: 'POST',
  path: '/process',
  json: { executable: 'true', args: [] },
}
const page: Asked = { what: 'a mapped port', method: 'GET', path: '/' }

const agent = (what: string): Attack => ({
  name: `an agent with ${what.replaceAll('_', ' ')}`,
  program: { file: 'agent.py', what, user: 'root', isImposter: true },
  calls: [list, read, exec],
})
const rfb = (what: string): Attack => ({
  name: `a VNC server with ${what.replaceAll('_', ' ')}`,
  program: { file: 'rfb.py', what, user: 'root', isImposter: true },
  calls: [screenshot, click],
})
const x11 = (what: string): Attack => ({
  name: `an X server with ${what.replaceAll('_', ' ')}`,
  program: { file: 'x11.py', what, user: 'root', isImposter: true },
  calls: [click, typing],
})
const web = (what: string): Attack => ({
  name: `a mapped web server with ${what.replaceAll('_', ' ')}`,
  program: { file: 'web.py', what, user: 'user' },
  calls: [page],
  isMapped: true,
  callers: 2,
})
const kernel = (what: string): Attack => ({
  name: `root that takes all ${what.replaceAll('_', ' ')}`,
  program: { file: 'kernel.py', what, user: 'root' },
  calls: [exec],
})
const flood = (name: string, calls: readonly Asked[], isAnonymous = false): Attack => ({
  name,
  calls,
  callers: 8,
  isAnonymous,
})

const longText = 'click(start_box="(10,10)") '.repeat(30_000)

/** Every attack runs in a sandbox of its own. */
export const attacks: readonly Attack[] = [
  ...[
    'empty_lists',
    'nested_lists',
    'endless_line',
    'huge_page',
    'silent',
    'drip',
    'endless_output',
    'random_words',
  ].map(agent),
  ...[
    'copies',
    'sizes',
    'absurd_size',
    'growing_size',
    'cut_text',
    'cursors',
    'tiny_rectangles',
    'bells',
    'random_bytes',
  ].map(rfb),
  ...['huge_setup', 'huge_replies', 'random_bytes'].map(x11),
  ...['tiny_chunks', 'endless_headers', 'long_body', 'random_words'].map(web),
  ...['terminals', 'watches', 'user_namespaces', 'socket_folders', 'forks', 'memory', 'writes'].map(kernel),
  flood(
    'anybody who asks for the API document',
    [{ what: 'the API document', method: 'GET', path: '/openapi.json' }],
    true,
  ),
  flood(
    'anybody who asks for what does not exist',
    ['/assets/%00', '/assets/', '/docs/assets/'].map(path => ({ what: path, method: 'GET', path })),
    true,
  ),
  flood('a tenant that parses long texts', [
    {
      what: 'parseModelTextOutput',
      method: 'POST',
      path: '/api/computer-use/parse/auto',
      json: { textContent: longText },
    },
  ]),
  flood('a tenant that takes screenshots all the time', [screenshot]),
]
