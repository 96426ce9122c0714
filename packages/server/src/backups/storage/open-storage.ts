import { Bucket } from '../../bucket.ts'
import { SettingError } from '../../setting-table.ts'
import type { Settings } from '../../settings.ts'
import type { BackupPlace } from '../backup-place.ts'
import { BucketStorage } from './bucket-storage.ts'
import { FolderStorage } from './folder-storage.ts'
import type { BackupStorage } from './storage.ts'

/** Opens the place that a person or a setting names. */
export function openBackupStorage(place: BackupPlace, settings: Settings): BackupStorage {
  if (place.kind === 'folder') return new FolderStorage(place.path)
  const {
    SANDGLASS_BACKUP_S3_ENDPOINT: endpoint,
    SANDGLASS_BACKUP_S3_REGION: region,
    SANDGLASS_BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
    SANDGLASS_BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings
  if (!endpoint || !accessKeyId || !secretAccessKey)
    throw new SettingError('Backups in a bucket require SANDGLASS_BACKUP_S3_ENDPOINT and its keys.')
  const { bucket, prefix } = place
  const address = { endpoint, bucket, region, accessKeyId, secretAccessKey }
  return new BucketStorage(new Bucket(address, 'backup'), prefix, `s3://${bucket}/${prefix}`)
}
