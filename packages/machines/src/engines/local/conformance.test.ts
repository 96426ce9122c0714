import { existsSync } from 'node:fs'
import { conformance } from '../../contract/conformance.ts'
import { shell } from '../../contract/conformance-tools.ts'
import { desktopSurroundings } from '../../contract/surroundings.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { machinePaths } from './machine-paths.ts'
import { testEngine, testSpec } from './test-engine.ts'

conformance('the local engine', async () => {
  const { open, dispose } = await testEngine()
  const { settings } = open()
  return {
    open: async () => open(),
    begun: id => waitFor(() => existsSync(machinePaths(settings, id).bundle)),
    spec: testSpec,
    surroundings: desktopSurroundings,
    shutDown: async machine => {
      await machine.exec({ ...shell('kill -TERM 1'), user: 'root' }).catch(() => {})
    },
    powerOn: async () => {},
    dispose,
  }
})
