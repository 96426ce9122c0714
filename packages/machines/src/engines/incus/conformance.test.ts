import { after } from 'node:test'
import { conformance } from '../../contract/conformance/index.ts'
import { incusSubject, testIncus } from './test-engine.ts'

const tested = await testIncus()
after(() => tested.dispose())

conformance('the incus engine', async () =>
  incusSubject(tested, { machineOn: 0, callerOn: 0, isPreparing: false }),
)
conformance('the incus engine on another member', async () =>
  incusSubject(tested, { machineOn: 1, callerOn: 0, isPreparing: false }),
)
