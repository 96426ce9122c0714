import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { NodeResources } from '@sandglass/protocol'
import { hostResources } from './host-resources.ts'

test('a host has processors, memory and a disk, and no more of each is free than there is', async () => {
  const resources = NodeResources.parse(await hostResources(tmpdir()))
  for (const { total, free } of Object.values(resources)) assert.ok(total > 0 && free >= 0 && free <= total)
})
