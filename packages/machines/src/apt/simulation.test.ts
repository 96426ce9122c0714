import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSimulation } from './simulation.ts'

test('only packages that apt would install are parsed, with version and file name', () => {
  const simulation = `Reading package lists...
Inst hello (2.10-3 Debian:12.15/stable [amd64])
Inst libfoo1 [1.0] (1:2.0~rc1+dfsg-1 Debian:12.15/stable, Debian-Security:12/stable-security [all]) []
Conf hello (2.10-3 Debian:12.15/stable [amd64])
Inst ../../etc/passwd (1 Debian [amd64])
Inst -o (1 Debian [amd64])
Inst hello (1;reboot Debian [amd64])
Remv hello [2.10-3]`
  assert.deepEqual(parseSimulation(simulation), [
    { name: 'hello', version: '2.10-3', fileName: 'hello_2.10-3_amd64.deb' },
    { name: 'libfoo1', version: '1:2.0~rc1+dfsg-1', fileName: 'libfoo1_1%3a2.0~rc1+dfsg-1_all.deb' },
  ])
})
