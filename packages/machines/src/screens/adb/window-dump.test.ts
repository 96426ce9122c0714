import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MachineError } from '../../contract/errors.ts'
import { parseWindowDump } from './window-dump.ts'

const dump = (nodes: string) =>
  `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">${nodes}</hierarchy>`
const node = (attributes: string, children = '') =>
  `<node bounds="[0,84][720,210]" ${attributes}>${children}</node>`

test('elements have roles, texts, bounds, states and actions, and parents come first', async () => {
  const tree = await parseWindowDump(
    dump(
      node(
        'class="androidx.recyclerview.widget.RecyclerView" scrollable="true"',
        node(
          'class="android.widget.Button" text="A &amp; &quot;B&quot; &#10;&#128578;" clickable="true" enabled="false"',
        ) +
          node(
            'class="android.widget.EditText" resource-id="a:id/b" content-desc="Name" focused="true" text="x"',
          ),
      ) + node('class="com.example.Strange"', node('class="com.example.Odd" clickable="true"')),
    ),
  )
  const bounds = { x: 0, y: 84, width: 720, height: 126 }
  assert.deepEqual(tree, [
    { role: 'list', name: '', text: '', path: '0', bounds, states: [], actions: ['scroll'], depth: 0 },
    {
      role: 'button',
      name: '',
      text: 'A & "B" \n🙂',
      path: '0/0',
      bounds,
      states: ['disabled'],
      actions: ['click'],
      depth: 1,
    },
    {
      role: 'edit',
      name: 'Name',
      text: 'x',
      path: '0/1',
      id: 'a:id/b',
      bounds,
      states: ['focused'],
      actions: ['type'],
      depth: 1,
    },
    { role: 'group', name: '', text: '', path: '1/0', bounds, states: [], actions: ['click'], depth: 1 },
  ])
})

test('invisible elements and passwords are left out', async () => {
  const hidden = '<node bounds="[5,5][5,9]" class="a.TextView" text="no" />'
  const [secret, ...rest] = await parseWindowDump(
    dump(hidden + node('class="a.EditText" password="true" text="pw"')),
  )
  assert.deepEqual([secret?.text, secret?.states, rest], ['', ['password'], []])
})

test('a malformed or oversized dump is refused', async () => {
  const entities = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
  const wrong = [
    '',
    'ERROR: could not get idle state.',
    dump('<node bounds="[0,0][1,1]">'),
    dump('<node bounds="[0,0]" />'),
    dump('<node />'),
    dump(node('text="&b;"')),
    dump('').replace('?>', `?>${entities}`),
    dump('<node bounds="[0,0][1,1]">'.repeat(300) + '</node>'.repeat(300)),
    dump('<node bounds="[0,0][1,1]" />'.repeat(5001)),
    dump(node(Array.from({ length: 200 }, (_, n) => `a${n}="1"`).join(' '))),
    dump(node(`text="${'x'.repeat(4 * 1024 * 1024)}"`)),
  ]
  for (const xml of wrong) await assert.rejects(parseWindowDump(xml), MachineError, xml.slice(0, 80))
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 80 }), async noise => {
      try {
        await parseWindowDump(dump(node(noise)))
      } catch (error) {
        assert.ok(error instanceof MachineError)
      }
    }),
  )
})

test('a dump of 5,000 elements is read, in several turns of the event loop', async () => {
  const xml = dump(node('class="android.widget.Button" text="OK 🙂"').repeat(5000))
  let turns = 0
  const count = () => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const tree = await parseWindowDump(xml)
  clearImmediate(timer)
  assert.deepEqual([tree.length, tree.at(-1)?.text], [5000, 'OK 🙂'])
  assert.ok(turns >= 5)
})
