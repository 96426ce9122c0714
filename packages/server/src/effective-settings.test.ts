import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EffectiveSetting } from '@sandglass/protocol'
import { z } from 'zod'
import { effectiveSettings } from './effective-settings.ts'
import { startTestService } from './testing/test-service.ts'

const find = (settings: readonly EffectiveSetting[], name: string) => {
  const setting = settings.find(one => one.name === name)
  assert.ok(setting, name)
  const { value, isDefault, isSecret } = setting
  return { value, isDefault, isSecret }
}

test('settings are shown as they apply, and secrets only as set or not', () => {
  const settings = effectiveSettings({
    SANDGLASS_PORT: '8080',
    SANDGLASS_HOST: '',
    DATABASE_URL: 'postgres://me:hunter2@db/x',
    SANDGLASS_S3_ENDPOINT: 'https://me:hunter2@storage.example.com/path',
  })
  assert.deepEqual(find(settings, 'SANDGLASS_PORT'), { value: '8080', isDefault: false, isSecret: false })
  assert.deepEqual(find(settings, 'SANDGLASS_HOST'), { value: '127.0.0.1', isDefault: true, isSecret: false })
  assert.deepEqual(find(settings, 'DATABASE_URL'), { value: null, isDefault: false, isSecret: true })
  assert.deepEqual(find(settings, 'SANDGLASS_SECRET_KEY'), { value: null, isDefault: true, isSecret: true })
  assert.deepEqual(find(settings, 'SANDGLASS_PUBLIC_URL'), { value: null, isDefault: true, isSecret: false })
  assert.equal(find(settings, 'SANDGLASS_S3_ENDPOINT').value, 'https://…@storage.example.com/path')
  // The engines have tables of their own.
  assert.equal(find(settings, 'SANDGLASS_MACHINES').isDefault, true)
  assert.ok(settings.every(({ about }) => about !== ''))
  assert.ok(!JSON.stringify(settings).includes('hunter2'))
})

test('the operator reads the settings of the service, and nobody else does', async () => {
  const key = 'a-secret-that-nobody-may-see'
  const service = await startTestService({
    SANDGLASS_ROOM_VIEWERS: '7',
    SANDGLASS_S3_ENDPOINT: 'http://127.0.0.1:9',
    SANDGLASS_S3_BUCKET: 'bucket',
    SANDGLASS_S3_ACCESS_KEY_ID: key,
    SANDGLASS_S3_SECRET_ACCESS_KEY: key,
  })
  const { status, body, text } = await service.operator('GET', '/api/operator/settings')
  assert.equal(status, 200)
  const settings = z.array(EffectiveSetting).parse(body)
  assert.deepEqual(find(settings, 'SANDGLASS_ROOM_VIEWERS'), {
    value: '7',
    isDefault: false,
    isSecret: false,
  })
  assert.equal(find(settings, 'SANDGLASS_S3_ACCESS_KEY_ID').isDefault, false)
  assert.ok(!text.includes(key))
  assert.equal((await service.get('/api/operator/settings')).status, 403)
})
