import { conformance } from '@sandglass/machines/conformance'
import { phoneSubject } from '@sandglass/machines/test-phones'
import { withPool } from './testing/with-pool.ts'

conformance('the engine of phones, through a worker,', async () => {
  const subject = await phoneSubject()
  return { ...subject, open: async () => withPool(await subject.open()) }
})
