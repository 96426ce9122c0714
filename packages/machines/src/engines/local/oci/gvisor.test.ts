import assert from 'node:assert/strict'
import { it } from 'node:test'
import { gvisorOptions, gvisorRelease } from './gvisor.ts'

it('reads the release from the version of Debian and from that of gVisor itself', () => {
  assert.equal(gvisorRelease('runsc version 0.0~20240729.0\nspec: 1.2.0\n'), 20240729)
  assert.equal(gvisorRelease('runsc version release-20250707.0\nspec: 1.1.0\n'), 20250707)
  assert.equal(gvisorRelease('runc version 1.1.5+ds1\n'), undefined)
})

it('enables sudo where the release can, and hides the network only from releases that mistake it', () => {
  const older = gvisorOptions('runsc version 0.0~20240729.0', '  -host-uds value\n')
  assert.ok(!older.flags.includes('--allow-suid'))
  assert.equal(older.wrapper[0], 'unshare')
  const newer = gvisorOptions('runsc version release-20250707.0', '  -allow-suid\n    \tallows\n')
  assert.ok(newer.flags.includes('--allow-suid'))
  assert.deepEqual(newer.wrapper, [])
})
