import { conformance } from '../../contract/conformance.ts'
import { shell } from '../../contract/conformance-tools.ts'
import { desktopSurroundings } from '../../contract/surroundings.ts'
import { testEngine, testSpec } from './test-engine.ts'

conformance('the local engine', async () => {
  const { open, dispose } = await testEngine()
  return {
    open: async () => open(),
    spec: testSpec,
    surroundings: desktopSurroundings,
    shutDown: async machine => {
      await machine.exec({ ...shell('kill -TERM 1'), user: 'root' }).catch(() => {})
    },
    powerOn: async () => {},
    dispose,
  }
})
