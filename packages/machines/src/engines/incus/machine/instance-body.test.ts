import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineSpec } from '../../../contract/spec.ts'
import { instanceBody, readyConfig } from './instance-body.ts'

const spec: MachineSpec = { id: 'a', image: 'minimal', cpus: 1.5, memoryMiB: 1024, pids: 64, diskMiB: 1000 }
const link = {
  network: 'sgnet0',
  address: '100.64.0.9',
  cidr: '100.64.0.9/16',
  gateway: '100.64.0.1',
  resolvers: ['203.0.113.53'],
}

test('a container has limits, users and a first process of its own', () => {
  const { type, config } = instanceBody(spec, 'sandglass', link)
  assert.equal(type, 'container')
  const { 'limits.memory': memory, 'limits.processes': processes } = config
  assert.deepEqual([memory, processes], ['1024MiB', '64'])
  assert.equal(config['security.idmap.isolated'], 'true')
  assert.match(config['raw.lxc'] ?? '', /lxc\.net\.0\.ipv4\.address = 100\.64\.0\.9\/16/)
})

test('the processor of a container is limited when its desktop is ready, whatever its disk was copied from', () => {
  assert.equal(instanceBody(spec, 'sandglass', link).config['limits.cpu.allowance'], '')
  assert.deepEqual(readyConfig(spec), {
    'user.sandglass.ready': 'true',
    'limits.cpu.allowance': '150ms/100ms',
  })
  assert.deepEqual(readyConfig({ ...spec, runtime: 'virtual-machine' }), { 'user.sandglass.ready': 'true' })
})

test('a virtual machine has whole processors and the same disk and network, and sets its address itself', () => {
  const container = instanceBody(spec, 'sandglass', link)
  const { type, config, devices } = instanceBody({ ...spec, runtime: 'virtual-machine' }, 'sandglass', link)
  assert.equal(type, 'virtual-machine')
  assert.deepEqual(devices, container.devices)
  const { 'user.sandglass.spec': kept, 'user.sandglass.boot': boot, ...rest } = config
  assert.deepEqual(rest, {
    'limits.memory': '1024MiB',
    'limits.cpu': '2',
    'boot.autostart': 'false',
    'security.guestapi': 'true',
    'security.secureboot': 'false',
  })
  assert.equal(JSON.parse(kept ?? '').runtime, 'virtual-machine')
  const script = Buffer.from(boot ?? '', 'base64').toString()
  assert.match(script, /ip address add 100\.64\.0\.9\/16 dev "\$card".* via 100\.64\.0\.1/)
  assert.match(script, /nameserver 203\.0\.113\.53/)
})
