import { conformance } from '../../contract/conformance/index.ts'
import { testSubject } from './test-subject.ts'

conformance('the local engine', () => testSubject('runc'))
