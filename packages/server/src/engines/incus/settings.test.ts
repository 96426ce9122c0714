import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTable } from '../../setting-table.ts'
import { incusSettings } from './settings.ts'

const addressOf = (text: string) => readTable(incusSettings, { SANDGLASS_INCUS: text }).SANDGLASS_INCUS

test('a cluster is a unix socket, or the URLs of its members', () => {
  assert.deepEqual(addressOf('/var/lib/incus/unix.socket'), { socket: '/var/lib/incus/unix.socket' })
  assert.deepEqual(addressOf('https://10.0.0.1:8443, https://10.0.0.2:8443/'), {
    urls: ['https://10.0.0.1:8443', 'https://10.0.0.2:8443'],
  })
  assert.equal(addressOf(''), undefined)
})

test('anything else is refused with what it must be', () => {
  for (const text of ['10.0.0.1', 'http://10.0.0.1:8443', '/a,/b', '/a,https://10.0.0.1', ','])
    assert.throws(
      () => addressOf(text),
      /^SettingError: SANDGLASS_INCUS must be the path of a unix socket, or/,
    )
})
