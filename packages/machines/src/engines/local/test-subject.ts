import { existsSync } from 'node:fs'
import { posixExpectations, type Subject } from '../../contract/conformance/index.ts'
import type { Engine } from '../../contract/engine.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { machinePaths } from './machine-paths.ts'
import type { Settings } from './options.ts'
import { testEngine, testSpec } from './test-engine.ts'

/** The local engine, with the given runtime, as the conformance suite tests it. */
export async function testSubject(runtime: string): Promise<Subject> {
  return subjectOf(await testEngine({ runtime }), testSpec)
}

interface TestedEngine {
  open(): Engine & { readonly settings: Settings }
  dispose(): Promise<void>
}

/** An engine on this host whose machines are made from our images. */
export function subjectOf({ open, dispose }: TestedEngine, spec: () => MachineSpec): Subject {
  const { settings } = open()
  return {
    open: async () => open(),
    begun: id => waitFor(() => existsSync(machinePaths(settings, id).bundle)),
    spec,
    expected: posixExpectations,
    shutDown: async machine => {
      const { shell, administrator = '' } = machine.guest
      await machine.exec({ ...shell.script('kill -TERM 1'), user: administrator }).catch(() => {})
    },
    powerOn: async () => {},
    dispose,
  }
}
