import assert from 'node:assert/strict'
import { it } from 'node:test'
import { commandLines, output } from './running.ts'
import type { Inside } from './subject.ts'

/** Tests that the guest profile describes the system that is really inside the machine. */
export function guest(context: () => Inside): void {
  it('describes its user, and a home in which that user can write', async () => {
    const { machine, guest, programs } = context()
    const { user, home, paths } = guest
    assert.equal((await output(machine, programs.printUserAndFolder)).stdout, `${user}\n${home}\n`)
    assert.ok(paths.isAbsolute(home))
    const path = paths.join(home, 'written.txt')
    await machine.files.write(path, Buffer.from('x'))
    assert.equal((await machine.files.stat('written.txt')).size, 1)
    await machine.files.remove(path)
  })

  it('has shells that run commands as they are, and pass on their exit code', async () => {
    const { machine, guest } = context()
    for (const run of [guest.shell.login, guest.shell.script]) {
      const { stdout, code } = await output(machine, run("echo 'a b'; exit 3"))
      assert.deepEqual([stdout, code], ['a b\n', 3])
    }
  })

  it('lists the command lines of its processes', async () => {
    const { machine, guest, programs } = context()
    const process = await machine.exec(programs.sleep(988))
    assert.match(await commandLines(machine), programs.sleepPattern(988))
    process.kill()
    await process.exited
    assert.equal((await output(machine, guest.listProcesses)).code, 0)
  })
}
