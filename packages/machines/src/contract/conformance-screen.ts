import assert from 'node:assert/strict'
import { it } from 'node:test'
import { patienceMs } from '../testing/wait-for.ts'
import { fails } from './conformance-tools.ts'
import type { Machine } from './machine.ts'
import type { Surroundings } from './surroundings.ts'

/** What the screen of every machine does. */
export function screen(context: () => Surroundings & { readonly machine: Machine }): void {
  const machine = () => context().machine

  it('shows its screen, in frames that whoever asked may keep', async () => {
    const { width, height } = await machine().screen.size()
    assert.deepEqual({ width, height }, context().screen)
    const looks = await Promise.all([machine().screen.look(), machine().screen.look()])
    for (const { frame } of looks) {
      assert.deepEqual([frame.width, frame.height], [width, height])
      assert.equal(frame.pixels.length, 4 * width * height)
    }
    assert.notEqual(looks[0].frame.pixels.buffer, looks[1].frame.pixels.buffer)
  })

  it('has a pointer that goes where it is told, and is taken there when that has settled', async () => {
    const input = await machine().screen.input()
    const { width, height } = context().screen
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

  it('shows who watches the whole screen first, and tells where the pointer goes', async () => {
    const seen: { covered: number; x: number }[] = []
    const unwatch = await machine().screen.watch((changed, { pixels, width, height, pointer }) => {
      assert.equal(pixels.length, 4 * width * height)
      seen.push({ covered: changed.reduce((sum, area) => sum + area.width * area.height, 0), x: pointer.x })
    })
    try {
      const { width, height } = context().screen
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

  it('takes keys and buttons, and tells when it has them', async () => {
    const input = await machine().screen.input()
    const [a, shift] = [0x61, 0xffe1]
    await input.prepare([a, shift])
    for (const keysym of [shift, a]) input.keyDown(keysym)
    for (const keysym of [a, shift]) input.keyUp(keysym)
    input.press('left')
    input.release('left')
    await input.taken()
    const typing = input.type('any text at all: 漢字\n', { lineBreak: 'Enter' })
    if (context().takesTextAnywhere) await typing
    else await assert.rejects(typing, fails('INVALID'))
  })
}
