import { conformance } from '@sandglass/machines/conformance'
import { testSubject } from '@sandglass/machines/test-subject'
import { withRemoteMachines } from './testing/through-rpc.ts'

conformance('the local engine, through a worker,', async () => {
  const subject = await testSubject('runc')
  return { ...subject, open: async () => withRemoteMachines(await subject.open()) }
})
