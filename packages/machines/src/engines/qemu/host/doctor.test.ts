import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installMissing } from '../../local/host/debian-packages.ts'
import { type VmDoctorOptions, vmDoctor } from './doctor.ts'
import { vmPackages } from './packages.ts'
import { whyNoVms } from './vm-host.ts'

const host = { arch: 'x64', missing: [], hasTun: true }
const broken = async () => ({ works: false, reason: 'it is only a device' }) as const

async function resultsOf(options: Partial<VmDoctorOptions>) {
  const checks = await vmDoctor({ acceleration: 'auto', host, probe: broken, ...options })
  return { checks, results: Object.fromEntries(checks.map(({ name, result }) => [name, result])) }
}

test('doctor reports the version of QEMU, and says that a KVM which runs no guest does not work', async () => {
  await installMissing(vmPackages.filter(({ isOptional }) => !isOptional))
  const { checks, results } = await resultsOf({})
  assert.deepEqual(results, { qemu: 'ok', tun: 'ok', kvm: 'warn' })
  assert.match(checks[0]?.what ?? '', /^QEMU \d+\.\d+/)
  assert.match(
    checks[2]?.what ?? '',
    /does not work here: it is only a device; virtual machines are emulated/,
  )
  assert.equal((await resultsOf({ acceleration: 'kvm' })).results['kvm'], 'fail')
  assert.equal((await resultsOf({ probe: async () => ({ works: true }) })).results['kvm'], 'ok')
  assert.equal((await resultsOf({ acceleration: 'emulation' })).results['kvm'], 'ok')
})

test('doctor says what is missing', async () => {
  const { checks, results } = await resultsOf({
    host: { ...host, hasTun: false },
    version: () => Promise.reject(new Error('ENOENT')),
  })
  assert.deepEqual(results, { qemu: 'fail', tun: 'fail' })
  assert.match(checks[0]?.fix ?? '', /SANDGLASS_VMS=on/)
})

test('virtual machines need x86_64', async () => {
  const arm = { ...host, arch: 'arm64' }
  const { checks } = await resultsOf({ host: arm })
  assert.deepEqual(
    checks.map(({ result, what }) => [result, what]),
    [['fail', 'virtual machines need x86_64, and this host has arm64']],
  )
  assert.equal(whyNoVms(arm), 'Virtual machines need x86_64, and this host has arm64.')
  assert.equal(whyNoVms(host), undefined)
})
