import { join } from 'node:path'
import { Bucket } from '../bucket.ts'
import type { Settings } from '../settings.ts'
import { DiskStore } from './disk-store.ts'
import type { PictureLimits } from './picture-ledger.ts'
import { S3Store } from './s3-store.ts'
import type { PictureStore } from './store.ts'

/** Opens the configured bucket, or a folder of the data directory. */
export async function openStore(settings: Settings): Promise<PictureStore> {
  const {
    SANDGLASS_S3_ENDPOINT: endpoint,
    SANDGLASS_S3_BUCKET: bucket,
    SANDGLASS_S3_REGION: region,
    SANDGLASS_S3_ACCESS_KEY_ID: accessKeyId,
    SANDGLASS_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings
  if (endpoint && bucket && accessKeyId && secretAccessKey)
    return new S3Store(new Bucket({ endpoint, bucket, region, accessKeyId, secretAccessKey }))
  return DiskStore.open(join(settings.SANDGLASS_DATA, 'screenshots'))
}

const MiB = 1024 * 1024

export function pictureLimits(settings: Settings): PictureLimits {
  return {
    sandboxBytes: settings.SANDGLASS_SCREENSHOTS_PER_SANDBOX * MiB,
    organizationBytes: settings.SANDGLASS_SCREENSHOTS_PER_ORGANIZATION * MiB,
    nodeBytes: settings.SANDGLASS_SCREENSHOTS_PER_NODE * MiB,
  }
}
