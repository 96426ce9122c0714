import assert from 'node:assert/strict'
import { it } from 'node:test'
import { patienceMs } from '../../testing/wait-for.ts'
import { fails } from './running.ts'
import type { Inside } from './subject.ts'

/** Tests the screen of a machine, and the input to it. */
export function screen(context: () => Inside): void {
  const machine = () => context().machine

  it('returns frames of its screen that the caller owns', async () => {
    const { width, height } = await machine().screen.size()
    assert.deepEqual({ width, height }, context().expected.screen)
    const looks = await Promise.all([machine().screen.look(), machine().screen.look()])
    for (const { frame } of looks) {
      assert.deepEqual([frame.width, frame.height], [width, height])
      assert.equal(frame.pixels.length, 4 * width * height)
    }
    assert.notEqual(looks[0].frame.pixels.buffer, looks[1].frame.pixels.buffer)
  })

  it('moves the pointer, and reports its position when the machine has taken the move', async () => {
    const input = await machine().screen.input()
    const { width, height } = context().expected.screen
    for (const point of [
      { x: 0, y: 0 },
      { x: width - 1, y: height - 1 },
      { x: 321, y: 123 },
    ]) {
      await input.move(point)
      assert.deepEqual(await input.taken(), point)
    }
    const { frame } = await machine().screen.look()
    assert.deepEqual([frame.pointer.x, frame.pointer.y], [321, 123])
  })

  it('reports the whole screen to a new watcher first, and then where the pointer moves', async () => {
    const seen: { covered: number; x: number }[] = []
    const unwatch = await machine().screen.watch((changed, { pixels, width, height, pointer }) => {
      assert.equal(pixels.length, 4 * width * height)
      seen.push({ covered: changed.reduce((sum, area) => sum + area.width * area.height, 0), x: pointer.x })
    })
    try {
      const { width, height } = context().expected.screen
      assert.equal(seen[0]?.covered, width * height)
      await (await machine().screen.input()).move({ x: 77, y: 88 })
      assert.ok(seen.some(({ x }) => x === 77))
    } finally {
      unwatch()
    }
  })

  it('comes to rest when nothing happens', async () => {
    assert.equal(await machine().screen.settled({ quietMs: 50, maxMs: patienceMs }), true)
    const stop = AbortSignal.abort()
    await assert.rejects(machine().screen.settled({ quietMs: 5000, maxMs: 20_000, signal: stop }), {
      name: 'AbortError',
    })
  })

  it('accepts keys and buttons, and reports when it has taken them', async () => {
    const input = await machine().screen.input()
    const [a, shift] = [0x61, 0xffe1]
    await input.prepare([a, shift])
    for (const keysym of [shift, a]) input.keyDown(keysym)
    for (const keysym of [a, shift]) input.keyUp(keysym)
    input.press('left')
    input.release('left')
    await input.taken()
    const typing = input.type('any text at all: 漢字\n', { lineBreak: 'Enter' })
    if (context().expected.takesTextAnywhere) await typing
    else await assert.rejects(typing, fails('INVALID'))
  })
}
