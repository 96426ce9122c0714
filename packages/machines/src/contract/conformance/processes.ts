import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { it } from 'node:test'
import type { ExecSpec } from '../process.ts'
import { fails, output } from './running.ts'
import type { Inside } from './subject.ts'

/** Tests how programs are started, and what goes in and comes out of them. */
export function processes(context: () => Inside): void {
  const machine = () => context().machine

  it('runs a program as the user of the machine, in its home and with its environment', async () => {
    const { guest, expected, programs } = context()
    const { stdout } = await output(machine(), programs.printUserAndFolder)
    assert.equal(stdout, `${guest.user}\n${guest.home}\n`)
    const environment = expected.environment(guest)
    const printed = await output(machine(), programs.printVariables(Object.keys(environment)))
    assert.equal(printed.stdout, Object.values(environment).join('\n').concat('\n'))
  })

  it('passes arguments, environment and working directory unchanged', async () => {
    const { guest, expected, programs } = context()
    const args = ["it's", '$HOME', '', 'a b', '–ü', '\n']
    const { stdout } = await output(machine(), programs.printArguments(args))
    assert.equal(stdout, "it's|$HOME||a b|–ü|\n|")
    const workingDirectory = expected.landmarks.temporary
    const variables = { ...programs.printVariables(['COLOUR']), env: { COLOUR: 'blue' } }
    assert.equal((await output(machine(), variables)).stdout, 'blue\n')
    const folder = { ...programs.printUserAndFolder, workingDirectory }
    assert.equal((await output(machine(), folder)).stdout, `${guest.user}\n${workingDirectory}\n`)
  })

  it('separates stdout from stderr and reports the exit code', async () => {
    const { expected, programs } = context()
    assert.deepEqual(await output(machine(), programs.printBoth('out', 'err', 3, expected.hasPipes)), {
      stdout: 'out\n',
      stderr: 'err\n',
      code: 3,
    })
  })

  it('carries binary input and output, and the end of the input', async () => {
    const sent = Buffer.alloc(
      3_000_000,
      Uint8Array.from({ length: 256 }, (_, i) => i),
    )
    const process = await machine().exec(context().programs.copyInput)
    process.stdin.end(sent)
    assert.ok(sent.equals(await buffer(process.stdout)))
    assert.deepEqual(await process.exited, { code: 0 })
  })

  it('reports a program that is not there', async () => {
    await assert.rejects(machine().exec({ executable: 'no-such-program' }), fails('NOT_FOUND'))
  })

  it('reports which of program and working directory cannot be used', async () => {
    const { guest, expected, programs } = context()
    const { temporary, readable, missing } = expected.landmarks
    const start = (spec: ExecSpec) => machine().exec({ workingDirectory: temporary, ...spec })
    const nowhere = { ...programs.succeed, whole: true, workingDirectory: missing }
    const message = (text: string) => (error: Error) => error.message.includes(text)
    await assert.rejects(start(nowhere), /working directory .*No such file/)
    await assert.rejects(start(nowhere), message(`: ${missing}`))
    await assert.rejects(start({ executable: readable }), /program .*Permission denied/)
    await assert.rejects(start({ executable: readable }), message(`: ${readable}`))
    const executable = guest.paths.join(temporary, 'no-program')
    await machine().files.write(executable, Buffer.from('nothing'), { mode: 0o755 })
    if (expected.runsTextAsScript) assert.equal((await output(machine(), { executable })).code, 127)
    else await assert.rejects(start({ executable }), fails('INVALID'))
  })

  it('runs many programs at once without mixing them', async () => {
    const numbers = Array.from({ length: 40 }, (_, i) => `${i}`)
    const outputs = await Promise.all(
      numbers.map(n => output(machine(), context().programs.printBoth(n, n, 0, false))),
    )
    assert.deepEqual(
      outputs.map(({ stdout, stderr }) => [stdout, stderr]),
      numbers.map(n => [`${n}\n`, `${n}\n`]),
    )
  })
}
