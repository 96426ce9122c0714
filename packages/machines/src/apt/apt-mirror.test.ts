import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { PackagesError } from '../contract/packages.ts'
import { AptMirror } from './apt-mirror.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-apt-'))
after(() => rm(folder, { recursive: true, force: true }))
const mirror = new AptMirror(folder)

/** A machine that has only the dependencies of hello. */
const installed = Buffer.from(`Package: libc6
Status: install ok installed
Architecture: ${process.arch === 'arm64' ? 'arm64' : 'amd64'}
Version: 999

`)

test('a package is fetched from the mirror of the host with its missing dependencies, and cached', async () => {
  const progress: string[] = []
  const onProgress = (fetched: number, total: number) => progress.push(`${fetched}/${total}`)
  const files = await mirror.fetch({ packages: ['hello'], installed, onProgress })
  assert.deepEqual(
    files.map(({ name }) => name),
    ['hello'],
  )
  assert.deepEqual(progress, ['0/1', '1/1'])
  const [file] = files
  assert.ok(file)
  const content = await buffer(file.content())
  assert.equal(content.length, file.size)
  assert.equal(content.subarray(0, 7).toString(), '!<arch>')
  assert.deepEqual(await readdir(join(folder, 'archives')), [file.fileName])
  progress.length = 0
  await mirror.fetch({ packages: ['hello'], installed, onProgress })
  assert.deepEqual(progress, [])
})

test('a package that the machine already has is not fetched', async () => {
  const has = `${installed}Package: hello\nStatus: install ok installed\nArchitecture: all\nVersion: 999\n\n`
  assert.deepEqual(await mirror.fetch({ packages: ['hello'], installed: Buffer.from(has) }), [])
})

test('an unknown package and a malformed package list are reported as such', async () => {
  const fails = (message: RegExp) => (error: unknown) =>
    error instanceof PackagesError && message.test(error.message)
  const packages = ['hello']
  await assert.rejects(
    mirror.fetch({ packages: ['no-such-package'], installed }),
    fails(/Unable to locate package no-such-package/),
  )
  await assert.rejects(mirror.fetch({ packages, installed: Buffer.alloc(17 * 2 ** 20) }), fails(/too large/))
  const noise = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 256))
  await assert.rejects(mirror.fetch({ packages, installed: noise }), fails(/cannot be installed/))
  const removing = `Package: hello-traditional\nStatus: install ok installed\nArchitecture: all\nVersion: 1\nConflicts: hello\n\n`
  await assert.rejects(
    mirror.fetch({ packages, installed: Buffer.from(`${installed}${removing}`) }),
    fails(/cannot be installed/),
  )
})
