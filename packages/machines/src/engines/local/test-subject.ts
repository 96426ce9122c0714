import { existsSync } from 'node:fs'
import { posixExpectations, type Subject } from '../../contract/conformance/index.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { machinePaths } from './machine-paths.ts'
import { testEngine, testSpec } from './test-engine.ts'

/** The local engine, with the given runtime, as the conformance suite tests it. */
export async function testSubject(runtime: string): Promise<Subject> {
  const { open, dispose } = await testEngine({ runtime })
  const { settings } = open()
  return {
    open: async () => open(),
    begun: id => waitFor(() => existsSync(machinePaths(settings, id).bundle)),
    spec: testSpec,
    expected: posixExpectations,
    shutDown: async machine => {
      const { shell, administrator = '' } = machine.guest
      await machine.exec({ ...shell.script('kill -TERM 1'), user: administrator }).catch(() => {})
    },
    powerOn: async () => {},
    dispose,
  }
}
