import assert from 'node:assert/strict'
import type { Job } from './job.ts'
import type { JobWorld } from './job-world.ts'

/**
 * A kill of the front or of a worker may lose screenshots that were not stored yet: about a second of them, or ten on a
 * box that is ten times slower.
 */
const lostByKillMs = 10_000

const px = (value: number) => ({ type: 'px', value })

interface Shot {
  readonly url: string
  readonly takenAtMs: number
}

/** Moves the pointer or taps, verifies its position, and fetches the screenshot. */
export class Actions implements Job {
  readonly name = 'actions'
  readonly #world: JobWorld
  readonly #random: () => number
  readonly #shots: Shot[] = []

  constructor(world: JobWorld, random: () => number) {
    this.#world = world
    this.#random = random
  }

  async step(): Promise<boolean> {
    const isPhone = this.#world.image === 'phone'
    const [x, y] = [Math.floor(this.#random() * 600), 100 + Math.floor(this.#random() * 500)]
    const place = { x: px(x), y: px(y) }
    // Tap where no app is, since opening apps is not part of this job.
    const action = isPhone ? { type: 'touch:tap', x: px(1), y: px(640) } : { type: 'mouse:move', ...place }
    const startedAt = Date.now()
    const { status, body } = await this.#world.ask({
      what: 'executeSandboxAction',
      method: 'POST',
      path: '/actions/execute',
      json: { action },
    })
    if (status !== 200) return false
    const { x: shownX, y: shownY } = body.cursorPosition ?? {}
    if (!isPhone && (shownX !== x || shownY !== y)) {
      // An X server that ended after the move took the pointer with it, and the response says where the new one has it.
      const isRestarted = await this.#hasRestartedSince(startedAt)
      assert.ok(isRestarted, `the pointer was moved to ${x},${y} and is at ${shownX},${shownY}`)
      return false
    }
    if (body.screenShotError?.code === 'node.DISK_FULL') return false
    assert.ok(body.screenShot, `an action was acknowledged without its screenshot: ${JSON.stringify(body)}`)
    this.#shots.push({ url: body.screenShot, takenAtMs: performance.now() })
    return await this.#fetch(body.screenShot)
  }

  async verify(): Promise<void> {
    const { framesLostAtMs } = this.#world
    for (const { url, takenAtMs } of this.#shots) {
      const ageAtKill = framesLostAtMs - takenAtMs
      if (await this.#fetch(url)) continue
      assert.ok(ageAtKill >= 0 && ageAtKill < lostByKillMs, `a screenshot of an acknowledged action is gone`)
    }
    this.#shots.length = 0
  }

  /** Whether a part of the desktop was started again since then, as the sandbox reports. */
  async #hasRestartedSince(startedAt: number): Promise<boolean> {
    const { body } = await this.#world.ask({
      what: 'getSandbox',
      method: 'GET',
      path: `~/sandboxes/${this.#world.sandboxId}`,
    })
    return Date.parse(body.sandbox?.lastRestart?.at) >= startedAt
  }

  async #fetch(url: string): Promise<boolean> {
    const { status, bytes } = await this.#world.ask({ what: 'a screenshot', method: 'GET', path: url })
    if (status === 200) assert.equal(bytes.subarray(8, 12).toString(), 'WEBP', 'a screenshot is no picture')
    return status === 200
  }
}
