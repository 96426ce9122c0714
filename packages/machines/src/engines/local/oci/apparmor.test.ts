import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { apparmorProfile, apparmorSupport, profileName, vmProfileName } from './apparmor.ts'

it('is used where the kernel has it enabled, profiles can be seen, and a parser is installed', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  try {
    assert.equal(await apparmorSupport(root), 'absent')
    await put('sys/module/apparmor/parameters/enabled', 'N\n')
    await put('sys/kernel/security/apparmor/profiles', '')
    assert.equal(await apparmorSupport(root), 'absent')
    await put('sys/module/apparmor/parameters/enabled', 'Y\n')
    assert.equal(await apparmorSupport(root), 'no parser')
    await put('usr/sbin/apparmor_parser', '')
    assert.equal(await apparmorSupport(root), 'usable')
  } finally {
    await rm(root, { recursive: true })
  }
})

it('denies mounts and the kernel’s files, and confines signals and tracing to machines', () => {
  for (const name of [profileName, vmProfileName] as const) {
    const profile = apparmorProfile(name)
    assert.match(profile, new RegExp(`^profile ${name} `, 'm'))
    for (const rule of ['deny mount,', 'deny pivot_root,', 'deny @{PROC}/sys/** wklx,', 'deny /sys/** wklx,'])
      assert.ok(profile.includes(rule), rule)
    for (const [, peer] of profile.matchAll(/^ {2}(?:signal|ptrace) .*peer=(\S+),$/gm))
      assert.ok(peer === name || peer === 'unconfined', peer)
    assert.equal(profile.includes('network packet,'), name === vmProfileName)
  }
})
