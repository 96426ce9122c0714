import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SettingError } from './setting-table.ts'
import { readSettings } from './settings.ts'

test('settings have defaults', () => {
  const settings = readSettings({})
  assert.equal(settings.SANDGLASS_HOST, '127.0.0.1')
  assert.equal(settings.SANDGLASS_PORT, 4780)
  assert.equal(settings.DATABASE_URL, undefined)
  assert.deepEqual(settings.SANDGLASS_TRUSTED_PROXIES, [])
})

test('lists are separated by commas', () => {
  const settings = readSettings({ SANDGLASS_TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16 ,::1' })
  assert.deepEqual(settings.SANDGLASS_TRUSTED_PROXIES, ['10.0.0.1', '192.168.0.0/16', '::1'])
})

const wrong: [Record<string, string>, RegExp][] = [
  [{ SANDGLASS_PORT: 'http' }, /^SANDGLASS_PORT must be a port from 0 to 65535; it is "http"\.$/],
  [{ SANDGLASS_PORT: '70000' }, /^SANDGLASS_PORT must be a port/],
  [{ SANDGLASS_PUBLIC_URL: 'ftp://x' }, /^SANDGLASS_PUBLIC_URL must be an http or https URL/],
  [
    { SANDGLASS_TRUSTED_PROXIES: 'proxy.local' },
    /^SANDGLASS_TRUSTED_PROXIES must be addresses or CIDR ranges/,
  ],
  [{ SANDGLASS_OUTBOUND_PRIVATE: '10.0.0.1' }, /^SANDGLASS_OUTBOUND_PRIVATE must be networks such as/],
  [{ SANDGLASS_RATE_LIMIT: '0' }, /^SANDGLASS_RATE_LIMIT must be a whole number above 0/],
  [{ SANDGLASS_START_TIMEOUT: '0' }, /^SANDGLASS_START_TIMEOUT must be a number of seconds/],
  [{ SANDGLASS_DISK_OVERCOMMIT: '0.5' }, /^SANDGLASS_DISK_OVERCOMMIT must be a number of at least 1/],
  [{ SANDGLASS_DISK_RESERVE: '1.5' }, /^SANDGLASS_DISK_RESERVE must be a whole number of MiB/],
  [{ SANDGLASS_LOG_LEVEL: 'loud' }, /^SANDGLASS_LOG_LEVEL must be trace/],
  [{ SANDGLASS_TLS_CERT: '/a.pem' }, /^SANDGLASS_TLS_KEY is missing/],
  [{ SANDGLASS_OIDC_ISSUER: 'https://id.example' }, /^SANDGLASS_OIDC_AUDIENCE is missing/],
  [{ SANDGLASS_SCREENSHOT_HOURS: '0' }, /^SANDGLASS_SCREENSHOT_HOURS must be a number of hours, above 0/],
  [{ SANDGLASS_S3_ENDPOINT: 'https://s3.example' }, /^SANDGLASS_S3_BUCKET is missing/],
  [{ SANDGLASS_BACKUP_HOURS: '24' }, /^SANDGLASS_BACKUP_HOURS requires SANDGLASS_BACKUP_TO\.$/],
  [{ SANDGLASS_BACKUP_TO: 's3://' }, /^SANDGLASS_BACKUP_TO must be a folder, or s3:\/\/bucket\/prefix/],
  [{ SANDGLASS_BACKUP_KEY: 'short' }, /^SANDGLASS_BACKUP_KEY must be a key as/],
  [
    { SANDGLASS_BACKUP_INCLUDE: 'images,disks' },
    /^SANDGLASS_BACKUP_INCLUDE must be some of images, snapshots/,
  ],
  [{ SANDGLASS_PROT: '1' }, /^SANDGLASS_PROT is not a setting/],
]

for (const [env, message] of wrong)
  test(`${JSON.stringify(env)} prevents the start with a message that names it`, () => {
    assert.throws(() => readSettings(env), { name: SettingError.name, message })
  })

test('an invalid database URL is not shown, because it contains a password', () => {
  assert.throws(() => readSettings({ DATABASE_URL: 'mysql://u:hunter2@h/d' }), {
    message: 'DATABASE_URL must be a postgres:// URL.',
  })
})
