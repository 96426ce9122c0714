import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import type { Inside } from './subject.ts'

/** Tests programs that run in a terminal. */
export function terminals(context: () => Inside): void {
  const machine = () => context().machine
  const terminal = { columns: 80, rows: 24 }

  it('turns the interrupt character of a terminal into its signal', async () => {
    for (const whole of [false, true]) {
      const typed = await machine().exec({ ...context().programs.printUpAndSleep(981), terminal, whole })
      await typed.stdout[Symbol.asyncIterator]().next()
      typed.stdin.write('\x03')
      assert.deepEqual(await typed.exited, { code: 130, signal: 2 })
    }
  })

  it('turns the end of the input into the end-of-file character of a terminal', async () => {
    for (const typed of ['a line\n', 'no line', '']) {
      const process = await machine().exec({ ...context().programs.copyInput, terminal })
      process.stdin.end(typed)
      assert.deepEqual(await process.exited, { code: 0 })
      assert.ok((await text(process.stdout)).includes(typed.trim()))
    }
  })

  it('reports the end of the input also to a shell that was busy when it came', async () => {
    const { guest, programs } = context()
    const process = await machine().exec({ ...guest.shell.interactive, terminal })
    let printed = ''
    process.stdin.write(programs.typedPause)
    for await (const chunk of process.stdout.setEncoding('utf8')) {
      printed += chunk
      if (printed.includes('asleep')) process.stdin.end()
    }
    assert.match(printed, /awake/)
    assert.deepEqual(await process.exited, { code: 0 })
  })

  it('gives a terminal its size, and resizes it', async () => {
    const process = await machine().exec({
      ...context().programs.printTerminalSizes,
      terminal: { columns: 100, rows: 30 },
    })
    let printed = ''
    for await (const chunk of process.stdout.setEncoding('utf8')) {
      printed += chunk
      if (printed === '30 100\r\n') process.resize({ columns: 120, rows: 40 })
    }
    assert.equal(printed, '30 100\r\n40 120\r\n')
    assert.deepEqual(await process.exited, { code: 0 })
  })
}
