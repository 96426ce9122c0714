import { conformance } from '../../contract/conformance/index.ts'
import { phoneSubject } from './test-phone-subject.ts'

conformance('the engine of phones', phoneSubject)
