import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../../contract/machine.ts'
import type { LocalEngine } from '../local-engine.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'

/** Replaces the agent by one that answers every request with what the requested path says. */
const liar = `
import json, os, socket, threading
path = '/run/sandglass/sockets/agent'
input()
os.rename(path, path + '.kept')
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen(64)
print('up', flush=True)
entry = dict(name='x', kind='file', size=1)
answers = {
    'huge': lambda: b'{"ok":true,"list":[' + b'[],' * 4000000 + b'[]]}',
    'values': lambda: b'{"ok":true,"list":[' + b'[],' * 500000 + b'[]]}',
    'nested': lambda: b'{"ok":true,"list":' + b'[' * 500000 + b']' * 500000 + b'}',
    'entries': lambda: json.dumps(dict(ok=True, list=[entry] * 3)).encode(),
    'nameless': lambda: b'{"ok":true,"list":[{"name":["x"]}],"info":{}}',
    'next': lambda: json.dumps(dict(ok=True, list=[], next='n' * 5000)).encode(),
    'text': lambda: b'{"ok":true,"info":{"name":"' + b'x' * 1000000 + b'"}}',
    'honest': lambda: json.dumps(dict(ok=True, list=[entry] * 2, next='eA==')).encode(),
}
def serve(one):
    try:
        request = json.loads(one.makefile('rb').readline())
        one.sendall(answers[os.path.basename(request.get('path', 'huge'))]() + b'\\n')
    except OSError: pass
    one.close()
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
`

describe('the service, when a guest has replaced the agent of its machine,', () => {
  let test: TestEngine
  let engine: LocalEngine
  let machine: Machine

  before(async () => {
    test = await testEngine()
    engine = test.open()
    machine = await engine.open(await engine.create(testSpec()))
    const run = await machine.exec({ executable: 'python3', args: ['-c', liar], user: 'root' })
    // Not before the call that starts it is complete, which goes through the agent.
    run.stdin.write('\n')
    await run.stdout[Symbol.asyncIterator]().next()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  for (const answer of ['huge', 'values', 'nested', 'entries', 'nameless', 'next'])
    it(`refuses a listing with the answer "${answer}"`, async () => {
      await assert.rejects(machine.files.list(answer, { limit: 2 }), { code: 'STATE' })
    })

  it('accepts a page that is as long as was requested', async () => {
    const { entries, next } = await machine.files.list('honest', { limit: 2 })
    assert.deepEqual([entries.map(({ name }) => name), next], [['x', 'x'], 'eA=='])
  })

  it('refuses other answers that are too long or too large', async () => {
    for (const path of ['huge', 'values', 'text', 'nameless'])
      await assert.rejects(machine.files.stat(path), { code: 'STATE' }, path)
    await assert.rejects(machine.exec({ executable: 'true' }), { code: 'STATE' })
    await assert.rejects(machine.files.read('huge').then(text), { code: 'STATE' })
  })

  it('uses little memory for it, also when it adopts the machine after a restart', async () => {
    const before = process.memoryUsage().rss
    let peak = before
    const sample = () => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }
    for (let times = 0; times < 20; times++)
      await assert.rejects(machine.files.list('huge').finally(sample), { code: 'STATE' })
    const next = test.open()
    await assert.rejects(next.open(machine.handle).finally(sample), { code: 'STATE' })
    await next.close()
    assert.ok(
      peak - before < 200 * 1024 * 1024,
      `it grew by ${Math.round((peak - before) / 1024 / 1024)} MiB`,
    )
  })
})
