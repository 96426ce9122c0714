import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dialWebSocket, LiveClient } from '@sandglass/gateway/testing'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { makeSandboxes, statusesOf } from '../support/machine-process.ts'
import { type Credentials, call, remove } from '../support/service-process.ts'

/** A service on another host, which is reached through a door, with the keys in its data directory. */
export class DeployedService {
  readonly #url: string
  readonly #data: string

  constructor(url: string, data: string) {
    this.#url = url
    this.#data = data
  }

  async credentials(): Promise<Credentials> {
    return { ...JSON.parse(await readFile(join(this.#data, 'credentials.json'), 'utf8')), url: this.#url }
  }

  /** Waits until it can do its work. A call that comes while it starts may be left without a response. */
  async ready(): Promise<void> {
    const url = `${this.#url}/readyz`
    await waitFor(() =>
      fetch(url, { signal: AbortSignal.timeout(patienceMs) }).then(
        async response => (await response.text()) !== '' && response.status === 200,
        () => false,
      ),
    )
  }

  /** Creates a sandbox, and returns its id when it runs. */
  async create(): Promise<string> {
    const [id = ''] = await makeSandboxes(await this.credentials(), 1)
    return id
  }

  async status(id: string): Promise<string | undefined> {
    return (await statusesOf(await this.credentials())).get(id)
  }

  async remove(id: string): Promise<void> {
    await remove(await this.credentials(), `~/sandboxes/${id}`)
  }

  /** Runs a script in a sandbox, and returns what it prints. */
  async run(id: string, script: string): Promise<string> {
    const body = { executable: 'sh', args: ['-c', script] }
    const answer = await call(await this.credentials(), 'POST', `~/sandboxes/${id}/process`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const [stdout, stderr] = [answer.body.stdoutBase64, answer.body.stderrBase64].map(base64 =>
      Buffer.from(base64, 'base64').toString(),
    )
    assert.equal(answer.body.exitCode, 0, stderr)
    return (stdout ?? '').trim()
  }

  /** Sees the screen of a sandbox in the live view, over WebSocket. */
  async watch(id: string): Promise<void> {
    const { body } = await call(await this.credentials(), 'GET', `~/sandboxes/${id}`)
    const { roomId: room, endUserToken: token, gatewayAddresses } = body.connectDetails
    const { path } = gatewayAddresses.find(({ gatewayType }: { gatewayType: string }) =>
      gatewayType.startsWith('WEBSOCKET'),
    )
    const viewer = new LiveClient(await dialWebSocket(`${this.#url.replace('http', 'ws')}${path}`))
    viewer.hello({ room, token })
    await viewer.until(() => viewer.canvas)
    viewer.close()
  }
}
