import { conformance } from '../../contract/conformance.ts'
import { testEngine, testSpec } from './test-engine.ts'

conformance('the local engine', async () => {
  const { open, dispose } = await testEngine()
  return { open: async () => open(), spec: testSpec, dispose }
})
