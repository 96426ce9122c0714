import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { Failure } from '@sandglass/supervision'
import { TestDesktop } from '../../actions/test-desktop.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { RfbScreen } from './rfb-screen.ts'

/** Recognises EnableContinuousUpdates with the flag off, by which the screen pauses updates. */
const isRest = (bytes: Uint8Array) => bytes[0] === 150 && bytes[1] === 0

describe('a screen whose server hangs for a while', { timeout: 240_000 }, () => {
  let desktop: TestDesktop
  let screen: RfbScreen
  const failures: (Failure | undefined)[] = []
  const sent: Uint8Array[] = []
  before(async () => {
    desktop = await TestDesktop.start()
    const dial = async () => spied(await desktop.machine.dial('screen:rfb'))
    screen = new RfbScreen(dial, { onFailure: failure => failures.push(failure) })
  })
  after(async () => {
    screen?.close()
    await desktop?.close()
  })

  function spied(stream: Duplex): Duplex {
    const write = stream.write.bind(stream)
    stream.write = (chunk: Uint8Array, ...rest: unknown[]) => {
      sent.push(chunk)
      return Reflect.apply(write, stream, [chunk, ...rest])
    }
    return stream
  }

  const signal = (name: string) =>
    desktop.shell(
      `for p in /proc/[0-9]*; do grep -q ^Xtigervnc $p/comm && kill -${name} $(basename $p); done`,
    )

  it('fails looks in the meantime, reports the failure, and recovers', async () => {
    await screen.look()
    await waitFor(() => sent.some(isRest))
    await signal('STOP')
    await assert.rejects(screen.look(), { code: 'MACHINE_FAILED', message: /did not answer/ })
    assert.equal(failures.length, 1)
    assert.match(String(failures[0]?.reason), /did not answer/)
    await signal('CONT')
    // It recovers without a further request.
    await waitFor(() => failures.at(-1) === undefined)
    const { frame } = await screen.look()
    assert.deepEqual([frame.width, frame.height], [1280, 720])
  })

  it('continues to send changes to its watchers', async () => {
    let changes = 0
    const unwatch = await screen.watch(() => void changes++)
    await signal('STOP')
    await assert.rejects(screen.moveTo({ x: 10, y: 10 }), /did not answer/)
    // Before it goes on, because it may be connected again by the time that the signal has been reported as sent.
    const before = changes
    await signal('CONT')
    await waitFor(() => changes > before)
    unwatch()
  })
})
