import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { waitFor } from '@sandglass/machines/testing'

const examples = new URL('../../examples/proxies/', import.meta.url)

/** An example with what a reader has to change in it. Everything that is changed must be there. */
export async function example(name: string, changes: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(new URL(name, examples), 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(text.includes(from), `${name} contains ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** A proxy in its own process, which ends with this scope. */
export class ProxyProcess {
  readonly #end: () => Promise<void>

  private constructor(end: () => Promise<void>) {
    this.#end = end
  }

  /** Starts it, and waits until it accepts connections on this port. */
  static async start(
    port: number,
    [command = '', ...args]: readonly string[],
    folder: string,
  ): Promise<ProxyProcess> {
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const exited = once(child, 'exit')
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => {
        printed += text
      })
    const proxy = new ProxyProcess(async () => {
      child.kill('SIGTERM')
      await exited
    })
    await waitFor(async () => {
      assert.equal(child.exitCode, null, `${command} has ended: ${printed}`)
      return accepts(port)
    })
    return proxy
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end()
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
