import { z } from 'zod'
import { BackupKey } from '../backups/backup-key.ts'
import { backupPlace } from '../backups/backup-place.ts'
import { keptKinds } from '../backups/kept-kinds.ts'
import { list, type SettingTable } from '../setting-table.ts'
import { atLeastOne, webUrl } from './values.ts'

/** Backups. */
export const backupSettings = {
  SANDGLASS_BACKUP_TO: {
    about:
      'Where backups are kept (docs/backup.md): a folder, or s3://bucket/prefix in the storage of SANDGLASS_BACKUP_S3_ENDPOINT.',
    schema: backupPlace,
  },
  SANDGLASS_BACKUP_HOURS: {
    about:
      'After how many hours the service makes the next backup in SANDGLASS_BACKUP_TO. If it is not set, only `npm run backup` makes some.',
    schema: z.coerce
      .number('must be a number of hours, at most 8760')
      .positive('must be a number of hours, above 0')
      .max(8760, 'must be a number of hours, at most 8760'),
  },
  SANDGLASS_BACKUP_KEEP: {
    about: 'How many backups are kept in SANDGLASS_BACKUP_TO when the service adds one.',
    default: '14',
    schema: atLeastOne,
  },
  SANDGLASS_UPGRADE_BACKUPS: {
    about:
      'How many backups are kept that a newer version of the service makes of the database before it upgrades it; 0 makes none.',
    default: '3',
    schema: z.coerce
      .number('must be a whole number')
      .int('must be a whole number')
      .min(0, 'must be a whole number'),
  },
  SANDGLASS_BACKUP_KEY: {
    about:
      'The key with which backups are encrypted, as `npm run backup -- --new-key` prints it. Without a key, they are not encrypted.',
    schema: z.string().transform((text, context) => {
      const key = BackupKey.parse(text)
      if (key) return key
      context.addIssue('must be a key as npm run backup -- --new-key prints it')
      return z.NEVER
    }),
    secret: true,
  },
  SANDGLASS_BACKUP_INCLUDE: {
    about:
      'What backups contain besides the database and keys, separated by commas: images, snapshots, volumes.',
    default: '',
    schema: list.pipe(z.array(z.enum(keptKinds, `must be some of ${keptKinds.join(', ')}`))),
  },
  SANDGLASS_BACKUP_S3_ENDPOINT: {
    about: 'The S3-compatible storage of a bucket in SANDGLASS_BACKUP_TO. Requires the keys below.',
    schema: webUrl.transform(url => url.replace(/\/+$/, '')),
  },
  SANDGLASS_BACKUP_S3_REGION: {
    about: 'The region for which requests to the storage of backups are signed.',
    default: 'us-east-1',
    schema: z.string().min(1),
  },
  SANDGLASS_BACKUP_S3_ACCESS_KEY_ID: {
    about: 'The access key id for the storage of backups.',
    schema: z.string().min(1),
    secret: true,
  },
  SANDGLASS_BACKUP_S3_SECRET_ACCESS_KEY: {
    about: 'The secret access key for the storage of backups.',
    schema: z.string().min(1),
    secret: true,
  },
} as const satisfies SettingTable
