import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const root = new URL('..', import.meta.url).pathname

/**
 * The only places of the service that ask what time it is on this host, and why that is right. Somebody may set that clock at any
 * moment: time limits are measured with `performance.now()`, and what several processes agree on with the clock of the database.
 */
const allowed: Readonly<Record<string, string>> = {
  'packages/machines/src/apt/apt-mirror.ts': 'the age of files',
  'packages/machines/src/engines/incus/client/client-certificate.ts': 'the validity of a certificate',
  'packages/machines/src/engines/incus/images/pushed-images.ts': 'a date for people',
  'packages/machines/src/engines/incus/prepared/prepared-instances.ts':
    'the age of what other processes have prepared, which is removed if it did not end by itself',
  'packages/machines/src/engines/local/oci/shown-limits.ts': 'the time of a start that the kernel has noted',
  'packages/machines/src/engines/local/rootfs/unused-images.ts': 'the age of files',
  'packages/machines/src/engines/local/starters.ts': 'when the use of a file was noted, in its time',
  'packages/machines/src/engines/qemu/machine/identity.ts': 'sets the clock of a machine',
  'packages/machines/src/engines/qemu/machine/set-clock.ts': 'sets the clock of a machine',
  'packages/machines/src/engines/qemu/templates/template-store.ts': 'the age of files',
  'packages/server/src/modules/sessions/openid/issuer.ts': 'the expiry of a token of an issuer',
  'packages/server/src/modules/sessions/openid/routes.ts': 'the expiry of a cookie',
}

/** What runs elsewhere: in a browser, in the process of a caller, or in a test. */
const elsewhere = /^packages\/(client|cli|live)\/|\.test\.ts$|\/testing\/|\/conformance\/|\/test-[\w-]+\.ts$/

test('the service measures no time limit with a clock that can be set', async () => {
  const found: string[] = []
  for await (const file of glob('packages/*/src/**/*.ts', { cwd: root })) {
    if (elsewhere.test(file)) continue
    const code = (await readFile(join(root, file), 'utf8')).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    if (code.includes('Date.now()')) found.push(file)
  }
  assert.deepEqual(found.sort(), Object.keys(allowed).sort())
})
