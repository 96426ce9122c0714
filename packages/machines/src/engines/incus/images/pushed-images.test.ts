import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guestDigest } from '../../local/guest/guest-files.ts'
import { versionOfImage } from '../../local/rootfs/image-store.ts'
import { IncusClient } from '../client/index.ts'
import { FakeIncus } from '../client/testing/fake-incus.ts'
import { PushedImages } from './pushed-images.ts'

test('a service that has no images itself uses those that the cluster has, and asks for them once', async t => {
  const fake = await FakeIncus.onSocket()
  t.after(() => fake.close())
  const client = new IncusClient({ socket: fake.socket })
  t.after(() => client.close())
  const version = await versionOfImage('minimal')
  const alias = `sandglass-${version}-${await guestDigest(version)}`
  fake.serve(`GET /1.0/images/aliases/${alias}`, { target: 'abc' })
  const images = new PushedImages(client, '/none')
  assert.equal(await images.fingerprintOf('minimal'), 'abc')
  assert.equal(await images.fingerprintOf('minimal'), 'abc')
  assert.deepEqual(fake.requests, [`GET /1.0/images/aliases/${alias}`])
  await assert.rejects(images.fingerprintOf('nosuch'), /there is no image recipe nosuch/)
  fake.refuse(`GET /1.0/images/aliases/${alias}`, 404, 'Alias not found')
  await assert.rejects(
    new PushedImages(client, '/none').fingerprintOf('minimal'),
    /not built yet|npm run cluster/,
  )
})
