import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Engine } from '../engine.ts'
import { commandLines, output } from './running.ts'
import type { Inside, Subject } from './subject.ts'

/** A path that a shell would take apart. */
const page = '/a%20page?b=1&c=$HOME'

/** Prints `up`, and then the path of every page that a browser asks for. */
const webServer = `import http.server
class Handler(http.server.BaseHTTPRequestHandler):
  def do_GET(self):
    self.send_response(200)
    self.end_headers()
    print(self.path, flush=True)
server = http.server.HTTPServer(("127.0.0.1", 7002), Handler)
print("up", flush=True)
server.serve_forever()`

/** Tests that the guest profile describes the system that is really inside the machine. */
export function guest(context: () => Inside & { readonly subject: Subject; readonly engine: Engine }): void {
  it('describes its user, and a home in which that user can write', async () => {
    const { machine, guest, programs } = context()
    const { user, home, paths } = guest
    assert.equal((await output(machine, programs.printUserAndFolder)).stdout, `${user}\n${home}\n`)
    assert.ok(paths.isAbsolute(home))
    const path = paths.join(home, 'written.txt')
    await machine.files.write(path, Buffer.from('x'))
    assert.equal((await machine.files.stat('written.txt')).size, 1)
    await machine.files.remove(path)
  })

  it('has shells that run commands as they are, and pass on their exit code', async () => {
    const { machine, guest } = context()
    for (const run of [guest.shell.login, guest.shell.script]) {
      const { stdout, code } = await output(machine, run("echo 'a b'; exit 3"))
      assert.deepEqual([stdout, code], ['a b\n', 3])
    }
  })

  it('lists the command lines of its processes', async () => {
    const { machine, guest, programs } = context()
    const process = await machine.exec(programs.sleep(988))
    assert.match(await commandLines(machine), programs.sleepPattern(988))
    process.kill()
    await process.exited
    assert.equal((await output(machine, guest.listProcesses)).code, 0)
  })

  it('opens a URL in its browser exactly as it is written', async () => {
    const { subject, engine, programs } = context()
    // A browser would keep the screen of the suite's own machine from settling.
    const handle = await engine.create(subject.spec())
    const machine = await engine.open(handle)
    try {
      const server = await machine.exec(programs.python(webServer))
      const printed = server.stdout.setEncoding('utf8')[Symbol.asyncIterator]()
      assert.equal((await printed.next()).value, 'up\n')
      const opened = await output(machine, machine.guest.openUrl(`http://127.0.0.1:7002${page}`))
      assert.equal(opened.code, 0, opened.stderr)
      let requests = ''
      while (!requests.includes(`${page}\n`)) {
        const { value, done } = await printed.next()
        assert.ok(!done, `the browser asked for ${JSON.stringify(requests)}`)
        requests += value
      }
    } finally {
      await engine.destroy(handle)
    }
  })
}
