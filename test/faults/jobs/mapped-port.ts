import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import type { Job } from './job.ts'

const port = 8000
const content = 'served by the machine\n'

/**
 * Requests a page from a web server in the machine through its mapped port. The server closes each connection, so
 * that each request dials again.
 */
export class MappedPort implements Job {
  readonly name = 'mapped port'
  readonly #world: World
  #mapping: { readonly domain: string; readonly accessToken: string } | undefined

  constructor(world: World) {
    this.#world = world
  }

  async step(): Promise<boolean> {
    this.#mapping ??= await this.#map()
    if (!this.#mapping) return false
    const { domain, accessToken } = this.#mapping
    const { url } = this.#world.installation.credentials
    const { status, bytes, body } = await this.#world.ask({
      what: 'a mapped port',
      method: 'GET',
      path: `${url}/word.txt`,
      headers: { host: domain, 'x-sandglass-mapping-token': accessToken },
    })
    if (status === 200) assert.equal(bytes.toString(), content, 'a mapped port answered something else')
    // A restarted machine has no web server yet.
    if (body?.code === 'mapping.NOT_LISTENING') await this.#serve()
    return status === 200
  }

  async verify(): Promise<void> {}

  async #map(): Promise<{ domain: string; accessToken: string } | undefined> {
    const { status, body } = await this.#world.ask({
      what: 'createHttpMapping',
      method: 'POST',
      path: '/mappings',
      isAudited: true,
      json: { targetEndpoint: `127.0.0.1:${port}` },
    })
    return status === 200 ? body : undefined
  }

  async #serve(): Promise<void> {
    await this.#world.run(
      `mkdir -p ~/web && printf '${content.trim()}\\n' > ~/web/word.txt &&
       { setsid python3 -m http.server ${port} --bind 127.0.0.1 --directory ~/web >/dev/null 2>&1 & }`,
    )
  }
}
