import { existsSync } from 'node:fs'
import { conformance, posixExpectations } from '../../contract/conformance/index.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { placesOf } from './places.ts'
import { testEngine, testSpec } from './test-engine.ts'

conformance('the local engine', async () => {
  const { open, dispose } = await testEngine()
  const { settings } = open()
  return {
    open: async () => open(),
    begun: id => waitFor(() => existsSync(placesOf(settings, id).bundle)),
    spec: testSpec,
    expected: posixExpectations,
    shutDown: async machine => {
      const { shell, administrator = '' } = machine.guest
      await machine.exec({ ...shell.script('kill -TERM 1'), user: administrator }).catch(() => {})
    },
    powerOn: async () => {},
    dispose,
  }
})
