import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PictureFormat } from '@sandglass/workers/contract'
import { acceptedFormat } from './accept.ts'

const cases: [string | undefined, PictureFormat, PictureFormat][] = [
  [undefined, 'webp', 'webp'],
  ['*/*', 'jpeg', 'jpeg'],
  ['image/png', 'webp', 'png'],
  ['IMAGE/JPEG', 'webp', 'jpeg'],
  ['image/jpeg;q=0.5, image/png', 'webp', 'png'],
  ['image/webp;q=0.1, image/*', 'webp', 'png'],
  ['image/png, */*;q=0.1', 'webp', 'png'],
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'png', 'png'],
  ['text/html', 'webp', 'webp'],
  ['image/png;q=0', 'webp', 'webp'],
  ['image/png;q=x, ;;,,', 'jpeg', 'jpeg'],
]

for (const [accept, own, chosen] of cases)
  test(`of a ${own} picture, Accept: ${accept} gets ${chosen}`, () => {
    assert.equal(acceptedFormat(accept, own), chosen)
  })
