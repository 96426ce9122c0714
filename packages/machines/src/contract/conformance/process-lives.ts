import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { waitFor } from '../../testing/wait-for.ts'
import { commandLines, output } from './running.ts'
import type { Inside } from './subject.ts'

/** Tests how programs end, and what becomes of the processes that they started. */
export function processLives(context: () => Inside): void {
  const machine = () => context().machine
  const isRunning = async (...seconds: number[]) =>
    context()
      .programs.sleepPattern(...seconds)
      .test(await commandLines(machine()))

  it('ends the whole process group by a kill or an abort', async () => {
    const abort = new AbortController()
    const process = await machine().exec({
      ...context().programs.waitForChild(987),
      signal: abort.signal,
    })
    abort.abort()
    assert.deepEqual(await process.exited, { code: 137, signal: 9 })
    // A killed process is listed until the kernel schedules it once more.
    await waitFor(async () => !(await isRunning(987)))
  })

  it("ends a program's streams with it, and does not touch the processes that it left running", async () => {
    const { programs } = context()
    const { stdout, stderr, code } = await output(machine(), programs.leaveChild(986))
    assert.deepEqual([stderr, code], ['', 0])
    assert.ok(await isRunning(986))
    await output(machine(), programs.endProcess(stdout))
  })

  it('ends everything that a whole program started, in any session, also after its own end', async () => {
    for (const then of ['wait', 4] as const)
      for (const terminal of [undefined, { columns: 80, rows: 24 }]) {
        const process = await machine().exec({
          ...context().programs.leaveStubbornFamily([984, 985], then),
          whole: true,
          ...(terminal && { terminal }),
        })
        assert.match(String((await process.stdout[Symbol.asyncIterator]().next()).value), /up/)
        if (then === 4) assert.deepEqual(await process.exited, { code: 4 })
        assert.ok(await isRunning(985))
        process.kill()
        await process.gone
        assert.ok(!(await isRunning(984, 985)))
      }
  })

  it('keeps what a released whole program left running, and ends a program that is released while it runs', async () => {
    const { programs } = context()
    const left = await machine().exec({ ...programs.leaveDetachedChild(983), whole: true })
    const pid = await text(left.stdout)
    await left.exited
    left.release()
    await left.gone
    assert.ok(await isRunning(983))
    await output(machine(), programs.endProcess(pid))
    const running = await machine().exec({ ...programs.waitForDetachedChild(982), whole: true })
    running.release()
    await waitFor(async () => !(await isRunning(982)))
  })

  it('delivers a signal to a program', async () => {
    for (const whole of [false, true]) {
      const killed = await machine().exec({ ...context().programs.sleep(981), whole })
      killed.kill(15)
      assert.deepEqual(await killed.exited, { code: 143, signal: 15 })
    }
  })
}
