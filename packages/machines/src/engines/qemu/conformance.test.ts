import { conformance } from '../../contract/conformance/index.ts'
import { subjectOf } from '../local/test-subject.ts'
import { testVms, vmSpec } from './test-engine.ts'

conformance('the engine for virtual machines', async () => subjectOf(await testVms(), vmSpec))
