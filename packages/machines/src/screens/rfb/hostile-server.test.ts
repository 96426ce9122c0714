import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { Failure } from '@sandglass/supervision'
import { waitFor } from '../../testing/wait-for.ts'
import { RfbScreen } from './rfb-screen.ts'
import type { Behaviour, ServerData } from './test-server-thread.ts'

/** A screen, and the server of it, which runs in a thread of its own and is reached over a unix socket. */
class TestScreen {
  readonly screen: RfbScreen
  readonly failures: (Failure | undefined)[] = []
  readonly #worker: Worker
  connections = 0

  private constructor(worker: Worker, path: string, now?: () => number) {
    this.#worker = worker
    worker.on('message', what => what === 'connected' && this.connections++)
    const dial = async () => {
      const socket = connect(path)
      await once(socket, 'connect')
      return socket
    }
    const onFailure = (failure: Failure | undefined) => void this.failures.push(failure)
    this.screen = new RfbScreen(dial, { onFailure, ...(now && { now }) })
  }

  static async start(folder: string, behaviour: Behaviour, now?: () => number): Promise<TestScreen> {
    const workerData: ServerData = { path: join(folder, `${behaviour}.sock`), behaviour }
    const worker = new Worker(new URL('./test-server-thread.ts', import.meta.url), { workerData })
    await once(worker, 'message')
    return new TestScreen(worker, workerData.path, now)
  }

  /** Why the screen was disconnected, for each time. */
  get reasons(): string[] {
    return this.failures.flatMap(failure => (failure ? [String(failure.reason)] : []))
  }

  async close(): Promise<void> {
    this.screen.close()
    await this.#worker.terminate()
  }
}

describe('a screen whose server floods', { timeout: 300_000 }, () => {
  let folder: string
  let neighbour: TestScreen
  let changes = 0
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rfb-'))
    neighbour = await TestScreen.start(folder, 'answers')
    await neighbour.screen.watch(() => void changes++)
  })
  after(async () => {
    await neighbour?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Floods until the condition holds, and checks that the neighbour was served in the meantime. */
  async function flooded(behaviour: Behaviour, condition: (hostile: TestScreen) => boolean): Promise<void> {
    // Time stands still for its budget, so that a slow box finds it exhausted as well.
    const hostile = await TestScreen.start(folder, behaviour, () => 0)
    const memory = process.memoryUsage().rss
    const changesBefore = changes
    try {
      await hostile.screen.offer('a'.repeat(500_000)).catch(() => {})
      await hostile.screen.watch(() => {}).catch(() => {})
      await waitFor(() => condition(hostile))
      await neighbour.screen.look()
      await waitFor(() => changes > changesBefore + 20)
      assert.deepEqual(neighbour.reasons, [])
      assert.equal(neighbour.connections, 1)
      const growth = process.memoryUsage().rss - memory
      assert.ok(growth < 200_000_000, `${growth} bytes`)
    } finally {
      await hostile.close()
    }
  }

  for (const [behaviour, what] of [
    ['copies', /more work than \d+ pixels per second/],
    ['resizes', /more work than 10 changes of its size per second/],
    ['dots', /more work than 100000 messages and rectangles per second/],
    ['bells', /more work than 100000 messages and rectangles per second/],
    ['cursors', /more work than \d+ pixels per second/],
    ['texts', /more work than \d+ pixels per second/],
    ['asks', /does not read what it is sent|messages and rectangles/],
    ['huge', /the desktop has 7680x4320 pixels; at most 2304000 are allowed/],
  ] as const)
    it(`with ${behaviour} is disconnected with the reason, and its neighbour works`, async () => {
      await flooded(behaviour, ({ reasons }) => reasons.some(reason => what.test(reason)))
    })

  it('with pictures does not keep its neighbour waiting', async () => {
    const from = changes
    const hostile = await TestScreen.start(folder, 'pictures')
    try {
      let pictures = 0
      await hostile.screen.watch(() => void pictures++)
      await waitFor(() => pictures > 100 && changes > from + 100)
    } finally {
      await hostile.close()
    }
  })

  it('is not connected to again for a while, and callers are told why', async () => {
    const hostile = await TestScreen.start(folder, 'huge', () => 0)
    try {
      const refused = { code: 'MACHINE_FAILED', message: /cannot be used: the desktop has 7680x4320 pixels/ }
      for (let call = 0; call < 5; call++) await assert.rejects(hostile.screen.look(), refused)
      assert.equal(hostile.connections, 1)
    } finally {
      await hostile.close()
    }
  })
})
