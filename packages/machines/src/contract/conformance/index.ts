import { after, before, describe } from 'node:test'
import type { Engine } from '../engine.ts'
import type { MachineHandle } from '../handle.ts'
import type { Machine } from '../machine.ts'
import { files } from './files.ts'
import { guest } from './guest.ts'
import { lifeCycle } from './life.ts'
import { openFiles } from './open-files.ts'
import { ports } from './ports.ts'
import { processLives } from './process-lives.ts'
import { processes } from './processes.ts'
import { reports } from './reports.ts'
import { screen } from './screen.ts'
import type { Subject } from './subject.ts'
import { terminals } from './terminals.ts'
import { watchedFiles } from './watched-files.ts'

export { type Expectations, posixExpectations } from './expectations.ts'
export { reports } from './reports.ts'
export type { Subject } from './subject.ts'

/**
 * The conformance suite: registers tests that every engine has to pass, whatever its machines are made of and whatever
 * system is inside them. Callers rely on nothing but what is tested here.
 *
 * @example
 * ```ts
 * conformance('my engine', async () => ({
 *   open: () => MyEngine.open(options),
 *   expected: posixExpectations,
 *   // …
 * }))
 * ```
 */
export function conformance(name: string, makeSubject: () => Promise<Subject>): void {
  describe(`${name} is an engine`, () => {
    let subject: Subject
    let engine: Engine
    let handle: MachineHandle
    let machine: Machine

    before(async () => {
      subject = await makeSubject()
      engine = await subject.open()
      handle = await engine.create(subject.spec())
      machine = await engine.open(handle)
    })
    after(async () => {
      machine?.close()
      await engine?.close()
      await subject?.dispose()
    })

    const inside = () => ({
      machine,
      guest: machine.guest,
      expected: subject.expected,
      programs: subject.expected.programs(machine.guest),
    })
    lifeCycle(() => ({ subject, engine, handle, ...inside() }))
    reports(() => ({ subject, engine, handle, machine }))
    guest(() => ({ subject, engine, ...inside() }))
    processes(inside)
    processLives(inside)
    terminals(inside)
    files(inside)
    openFiles(inside)
    watchedFiles(inside)
    ports(() => ({ ...inside(), capabilities: engine.capabilities }))
    screen(inside)
  })
}
