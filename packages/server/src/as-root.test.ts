import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepEnvironment } from './as-root.ts'

test('sudo passes settings on without showing their values to other users of the host', () => {
  const env = {
    DATABASE_URL_FILE: '/etc/sandglass/database-url',
    DATABASE_URL: 'postgres://sandglass:hunter2@db/sandglass',
    SANDGLASS_SECRET_KEY: 'hunter3',
    PATH: '/usr/bin',
    EDITOR: 'vi',
  }
  assert.deepEqual(keepEnvironment(env), [
    '--preserve-env=DATABASE_URL_FILE,DATABASE_URL,SANDGLASS_SECRET_KEY',
    'env',
    'PATH=/usr/bin',
  ])
  assert.deepEqual(keepEnvironment({ LANG: 'C' }), ['env', 'LANG=C'])
})
