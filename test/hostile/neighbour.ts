import assert from 'node:assert/strict'
import type { Asked, Call } from '../faults/calls.ts'
import type { Tenant } from './tenant.ts'

/** An honest tenant that works in its sandbox and notices every call that fails. */
export class Neighbour {
  readonly #tenant: Tenant
  readonly #sandboxId: string
  #round = 0

  constructor(tenant: Tenant, sandboxId: string) {
    this.#tenant = tenant
    this.#sandboxId = sandboxId
  }

  /** Works while the condition holds, at least one round, and returns its calls. */
  async work(goesOn: () => boolean): Promise<Call[]> {
    const { made } = this.#tenant.calls
    const before = made.length
    do await this.#workOnce()
    while (goesOn())
    return made.slice(before)
  }

  async #workOnce(): Promise<void> {
    const round = ++this.#round
    const [x, y] = [round % 600, round % 400]
    const at = { x: { type: 'px', value: x }, y: { type: 'px', value: y } }
    const word = `round ${round}`
    await this.#ask({ what: 'getSandbox', method: 'GET', path: '' })
    const moved = await this.#ask({
      what: 'executeSandboxAction',
      method: 'POST',
      path: '/actions/execute',
      json: { action: { type: 'mouse:move', ...at } },
    })
    assert.deepEqual([moved.cursorPosition.x, moved.cursorPosition.y], [x, y])
    const ran = await this.#ask({
      what: 'execSandboxProcess',
      method: 'POST',
      path: '/process',
      json: { executable: 'sh', args: ['-c', `echo ${word} | tee /tmp/round`] },
    })
    assert.equal(Buffer.from(ran.stdoutBase64, 'base64').toString(), `${word}\n`)
    const listed = await this.#ask({
      what: 'listSandboxFiles',
      method: 'GET',
      path: '/files?path=/tmp&limit=100',
    })
    assert.match(JSON.stringify(listed), /"round"/)
  }

  async #ask(asked: Asked) {
    const path = `~/sandboxes/${this.#sandboxId}${asked.path}`
    const { status, body } = await this.#tenant.calls.ask({ ...asked, path })
    assert.equal(status, 200, `${asked.what} of the neighbour failed: ${JSON.stringify(body)}`)
    return body
  }
}
